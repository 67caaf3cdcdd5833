// Responses of the metrics service, with only what a test speaks about.
import { create } from "@bufbuild/protobuf";
import {
  type GetJobMetricsResponse,
  GetJobMetricsResponse_Origin,
  GetJobMetricsResponseSchema,
} from "#proto/metrics";
import { type NodeSamples, NodeSamplesSchema } from "#proto/samples";

export const kFromMs = Date.UTC(2026, 10, 21, 12);
export const kGap = Number.NaN;

interface SampleSeries {
  readonly name: string;
  readonly values: number[];
  readonly node?: string;
  readonly labels?: Record<string, string>;
}

export function loaded(
  stepS: number,
  ...series: SampleSeries[]
): GetJobMetricsResponse {
  return create(GetJobMetricsResponseSchema, {
    fromMs: BigInt(kFromMs),
    stepS,
    origin: GetJobMetricsResponse_Origin.DATABASE,
    series: series.map(({ node = "n1", labels = {}, ...rest }) => ({
      node,
      labels,
      ...rest,
    })),
  });
}

// Samples at these seconds after the start.
export function samples(
  name: string,
  atS: readonly number[],
  values: number[],
): NodeSamples {
  const timesMs = atS.map((second, index) =>
    BigInt(
      index === 0 ? kFromMs + second * 1000 : (second - atS[index - 1]!) * 1000,
    ),
  );
  return create(NodeSamplesSchema, {
    node: "n1",
    series: [{ name, timesMs, values }],
  });
}
