// What an app answers at a site of paths, where all jobs share one origin.
//
// An app may not know the prefix below which it is in browsers, and it must not
// speak for what is not below it. So what an answer says about places of the
// origin is kept below the prefix: where it redirects to, the paths of cookies,
// the reach of service workers. What is about the origin as a whole goes.
// Pure functions.
#ifndef CARME_PROXY_HTTP_PATH_PREFIX_H_
#define CARME_PROXY_HTTP_PATH_PREFIX_H_

#include <list>
#include <string>
#include <string_view>

#include "proxy/http/http1_head.h"

namespace carme::proxy {

// `path` where it is `prefix` or below it; else its place below `prefix`, and
// the root there for a path which a browser would read as another one.
std::string PathBelowPrefix(std::string_view prefix, std::string_view path);

// Changes the fields of `head`; what takes the place of a value lies in
// `values`, which must outlive the head. `prefix` is "/<label>", `host` that of
// the jobs.
void RewriteForPrefix(std::string_view prefix, std::string_view host,
                      ResponseHead* head, std::list<std::string>* values);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_PATH_PREFIX_H_
