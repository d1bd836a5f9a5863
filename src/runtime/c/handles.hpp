// What the handles of the C interface hold, and how its functions fail.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "cvf/cvf.h"
#include "runtime/forecast.hpp"

struct cvf_model {
  explicit cvf_model(cvf::runtime::Model loaded);

  cvf::runtime::Model model;
  std::atomic<int> threads{1};
  std::vector<std::vector<std::string>> names;  // by cvf_names
  std::string boundary;
};

struct cvf_trace {
  cvf_trace(cvf::runtime::Model of, cvf::runtime::Trace how);

  cvf::runtime::Model model;
  cvf::runtime::Trace trace;
  std::vector<std::vector<cvf_result>> targets;  // of each sample
  std::vector<std::vector<cvf_accepted_step>> steps;
  std::vector<std::string> messages;
};

namespace cvf::runtime {

/// Keeps the sentence for cvf_message, on this thread and without memory that could be missing.
int failed(int code, const char* sentence) noexcept;

/// Runs `work`; whatever it throws becomes a code.
template <class Work>
int guarded(const Work& work) noexcept {
  try {
    work();
    return CVF_OK;
  } catch (const Error& error) {
    return failed(static_cast<int>(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return failed(CVF_UNEXPECTED, "the memory is exhausted");
  } catch (const std::exception& error) {
    return failed(CVF_UNEXPECTED, error.what());
  } catch (...) {
    return failed(CVF_UNEXPECTED, "something that is no error was thrown");
  }
}

template <class T>
T& required(T* pointer, const char* name) {
  if (pointer == nullptr) throw UsageError("{} is NULL", name);
  return *pointer;
}

/// Of the whole way of a sample.
cvf_result result_of(const Trace& trace, std::size_t sample);

}  // namespace cvf::runtime
