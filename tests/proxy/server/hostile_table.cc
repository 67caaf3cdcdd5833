#include "tests/proxy/server/hostile_table.h"

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace carme::testing {
namespace {

// The text of {name}, with its braces and escapes replaced.
std::string Macro(const std::string& name) {
  const std::string fields = " /echo HTTP/1.1\\r\\nHost: {host}\\r\\n{cookie}";
  if (name == "get") return "GET" + fields;
  if (name == "post") return "POST" + fields;
  if (name == "close") return "Connection: close\\r\\n\\r\\n";
  if (name == "inner") {
    return "GET /smuggled HTTP/1.1\\r\\nHost: {host}\\r\\n{close}";
  }
  throw std::runtime_error("hostile table: unknown {" + name + "}");
}

std::string Unescaped(const std::string& text, const std::string& host,
                      const std::string& cookie);

std::string Expanded(const std::string& name, const std::string& host,
                     const std::string& cookie) {
  if (name == "host") return host;
  if (name == "cookie") return cookie;
  const size_t mark = name.find_first_of("*#");
  if (mark == std::string::npos) return Unescaped(Macro(name), host, cookie);
  const long times = std::strtol(name.c_str(), nullptr, 10);
  const std::string one = Unescaped(name.substr(mark + 1), host, cookie);
  std::string all;
  for (long i = 0; i < times; ++i) {
    all += one;
    if (name[mark] == '#') all += std::to_string(i);
  }
  return all;
}

std::string Unescaped(const std::string& text, const std::string& host,
                      const std::string& cookie) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') {
      const size_t end = text.find('}', i);
      if (end == std::string::npos) {
        throw std::runtime_error("hostile table: open brace");
      }
      bytes += Expanded(text.substr(i + 1, end - i - 1), host, cookie);
      i = end;
      continue;
    }
    if (text[i] != '\\') {
      bytes += text[i];
      continue;
    }
    const char kind = text.at(++i);
    switch (kind) {
      case 'r':
        bytes += '\r';
        break;
      case 'n':
        bytes += '\n';
        break;
      case 't':
        bytes += '\t';
        break;
      case '0':
        bytes += '\0';
        break;
      case 'p':
        bytes += '|';
        break;
      case '\\':
        bytes += '\\';
        break;
      case 'x':
        bytes +=
            static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
        i += 2;
        break;
      default:
        throw std::runtime_error("hostile table: unknown escape");
    }
  }
  return bytes;
}

}  // namespace

std::vector<HostileCase> ReadHostileTable(const std::string& path,
                                          const std::string& host,
                                          const std::string& cookie) {
  std::ifstream file(path);
  std::vector<HostileCase> table;
  constexpr char kBetween[] = " | ";
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::string columns[4];
    size_t start = 0;
    for (int i = 0; i < 3; ++i) {
      const size_t end = line.find(kBetween, start);
      if (end == std::string::npos) {
        throw std::runtime_error("hostile table: four columns in " + line);
      }
      columns[i] = line.substr(start, end - start);
      start = end + 3;
    }
    table.push_back({columns[0], columns[1], columns[2],
                     Unescaped(line.substr(start), host, cookie)});
  }
  if (table.empty()) throw std::runtime_error("hostile table: not there");
  return table;
}

std::string OutcomeOf(const std::string& answers, int seen) {
  const std::string mark = "HTTP/1.1 ";
  std::string outcome;
  for (size_t at = answers.find(mark); at != std::string::npos;
       at = answers.find(mark, at + 1)) {
    const std::string status = answers.substr(at + mark.size(), 3);
    if (status.size() < 3 || !std::isdigit(status[0])) continue;
    outcome += (outcome.empty() ? "" : ",") + status;
  }
  return outcome + ":" + std::to_string(seen);
}

}  // namespace carme::testing
