// Rewrites responses of apps for path-based routing, where all jobs share one
// origin.
//
// An app may be unaware of its path prefix, and must not affect other paths.
// Redirects, cookie paths and the scope of service workers are therefore moved
// below the prefix, and fields that affect the whole origin are dropped. Pure
// functions.
#ifndef CARME_PROXY_HTTP_PATH_PREFIX_H_
#define CARME_PROXY_HTTP_PATH_PREFIX_H_

#include <list>
#include <string>
#include <string_view>

#include "common/http1/head.h"

namespace carme::proxy {

// `path` when it is `prefix` or below it, else `prefix` + `path`. The root
// below `prefix` for a path that browsers would normalize to another one.
std::string PathBelowPrefix(std::string_view prefix, std::string_view path);

// Rewrites the fields of `head`. New values are stored in `values`, which must
// outlive `head`. `prefix` is "/<label>", `host` the jobs' host.
void RewriteForPrefix(std::string_view prefix, std::string_view host,
                      ResponseHead* head, std::list<std::string>* values);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_PATH_PREFIX_H_
