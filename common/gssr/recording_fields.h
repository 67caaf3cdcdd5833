// The fields of recordings: the columns of gssr-record 2.1, the metrics of
// gssr 0.3, and Carme's series with the same values.
#ifndef CARME_COMMON_GSSR_RECORDING_FIELDS_H_
#define CARME_COMMON_GSSR_RECORDING_FIELDS_H_

namespace carme::gssr {

// Its number is the product of the series' value and `factor`.
struct RecordingField {
  const char* column;  // of gssr-record, with _min, _avg and _max
  const char* metric;  // of gssr 0.3
  const char* series;
  double factor;
  bool is_whole;       // "%ld", else "%.2f"
  bool is_difference;  // the mean is the increase since the row before
};

inline constexpr double kPerMib = 1.0 / (1 << 20);

// In the order of the columns. gssr-analyze stops at a file without one of the
// columns of gssr-record 2.0, so all of them are in each file.
inline constexpr RecordingField kRecordingFields[] = {
    {"DCGM_FI_DEV_GPU_UTIL", "gpu_utilization", "carme_gpu_utilization_ratio",
     100, true, false},
    {"DCGM_FI_DEV_FB_FREE", "fb_free", "carme_gpu_memory_free_bytes", kPerMib,
     true, false},
    {"DCGM_FI_DEV_FB_USED", "fb_used", "carme_gpu_memory_used_bytes", kPerMib,
     true, false},
    {"DCGM_FI_DEV_FB_RESERVED", "fb_resv", "carme_gpu_memory_reserved_bytes",
     kPerMib, true, false},
    {"DCGM_FI_PROF_SM_ACTIVE", "sm_active", "carme_gpu_sm_active_ratio", 1,
     false, false},
    {"DCGM_FI_PROF_SM_OCCUPANCY", "sm_occupancy",
     "carme_gpu_sm_occupancy_ratio", 1, false, false},
    {"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "tensor_active",
     "carme_gpu_tensor_active_ratio", 1, false, false},
    {"DCGM_FI_PROF_PIPE_TENSOR_IMMA_ACTIVE", "imma_active",
     "carme_gpu_imma_active_ratio", 1, false, false},
    {"DCGM_FI_PROF_PIPE_TENSOR_HMMA_ACTIVE", "hmma_active",
     "carme_gpu_hmma_active_ratio", 1, false, false},
    {"DCGM_FI_PROF_PIPE_TENSOR_DFMA_ACTIVE", "dfma_active",
     "carme_gpu_dfma_active_ratio", 1, false, false},
    {"DCGM_FI_PROF_PIPE_INT_ACTIVE", "int_active", "carme_gpu_int_active_ratio",
     1, false, false},
    {"DCGM_FI_PROF_PIPE_FP64_ACTIVE", "fp64_active",
     "carme_gpu_fp64_active_ratio", 1, false, false},
    {"DCGM_FI_PROF_PIPE_FP32_ACTIVE", "fp32_active",
     "carme_gpu_fp32_active_ratio", 1, false, false},
    {"DCGM_FI_PROF_PIPE_FP16_ACTIVE", "fp16_active",
     "carme_gpu_fp16_active_ratio", 1, false, false},
    {"DCGM_FI_PROF_DRAM_ACTIVE", "dram_active", "carme_gpu_dram_active_ratio",
     1, false, false},
    {"DCGM_FI_PROF_PCIE_TX_BYTES", "pcie_tx_bytes",
     "carme_gpu_pcie_sent_bytes_per_second", 1, true, false},
    {"DCGM_FI_PROF_PCIE_RX_BYTES", "pcie_rx_bytes",
     "carme_gpu_pcie_received_bytes_per_second", 1, true, false},
    {"DCGM_FI_PROF_NVLINK_RX_BYTES", "nvlink_rx_bytes",
     "carme_gpu_nvlink_received_bytes_per_second", 1, true, false},
    {"DCGM_FI_PROF_NVLINK_TX_BYTES", "nvlink_tx_bytes",
     "carme_gpu_nvlink_sent_bytes_per_second", 1, true, false},
    {"DCGM_FI_PROF_C2C_TX_ALL_BYTES", "c2c_tx_all_bytes",
     "carme_gpu_c2c_sent_bytes_per_second", 1, true, false},
    {"DCGM_FI_PROF_C2C_RX_ALL_BYTES", "c2c_rx_all_bytes",
     "carme_gpu_c2c_received_bytes_per_second", 1, true, false},
    {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "energy",
     "carme_gpu_energy_joules_total", 1000, true, true},
    {"DCGM_FI_DEV_POWER_USAGE", "power_usage", "carme_gpu_power_watts", 1,
     false, false},
};

}  // namespace carme::gssr

#endif  // CARME_COMMON_GSSR_RECORDING_FIELDS_H_
