// The page's files, inside the program.
#ifndef CARME_SLURM_HOOKS_SHELL_PAGE_ASSETS_H_
#define CARME_SLURM_HOOKS_SHELL_PAGE_ASSETS_H_

#include <span>
#include <string_view>

namespace carme::shell {

struct PageAsset {
  std::string_view path;  // "/", "/assets/index-Dk3….js"
  std::string_view type;
  std::string_view bytes;
};

// Written by embed_page.mjs when the page was built.
extern const std::span<const PageAsset> kPageAssets;

// Null: there is no such file.
inline const PageAsset* FindPageAsset(std::string_view path) {
  for (const PageAsset& asset : kPageAssets) {
    if (asset.path == path) return &asset;
  }
  return nullptr;
}

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_PAGE_ASSETS_H_
