// The settings of an environment's text as a form, and a text with other
// settings. Only the values that differ are replaced, so comments, the order of
// keys and keys without a field stay. Pure.
#ifndef CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_FORM_H_
#define CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_FORM_H_

#include <optional>
#include <string>

#include "carme/v1/environment_form.pb.h"
#include "common/edf/problem.h"

namespace carme::backend {

// nullopt, with problems: the text is not a valid layer of an environment.
std::optional<v1::EnvironmentForm> ReadEnvironmentForm(const std::string& text,
                                                       EdfProblems* problems);

// The text with the settings of `after` where they differ from `before`.
// nullopt, with problems: the text is invalid, with lines; or a setting cannot
// be written, without a line. Comments within a list are lost when its length
// changes.
std::optional<std::string> WriteEnvironmentForm(
    const std::string& text, const v1::EnvironmentForm& before,
    const v1::EnvironmentForm& after, EdfProblems* problems);

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_FORM_H_
