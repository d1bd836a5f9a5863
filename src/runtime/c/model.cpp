// The C interface: models, what they are, and errors.
#include <cmath>
#include <cstdio>

#include "core/log.hpp"
#include "runtime/c/handles.hpp"

namespace cvf::runtime {
namespace {

thread_local char last_message[2048] = "";

constexpr int most_threads = 256;

}  // namespace

int failed(int code, const char* sentence) noexcept {
  std::snprintf(last_message, sizeof last_message, "%s", sentence);
  return code;
}

}  // namespace cvf::runtime

using cvf::runtime::guarded;
using cvf::runtime::required;

cvf_model::cvf_model(cvf::runtime::Model loaded) : model(std::move(loaded)) {
  const auto& spec = model.spec();
  const auto context = spec.context.names();
  names = {spec.state.names(), context.parameters, context.statics, context.controls, context.control_fields};
  boundary = spec.state.boundary();
}

int cvf_abi_version(void) {
  return CVF_ABI_VERSION;
}

const char* cvf_version(void) {
  return CVF_VERSION;
}

const char* cvf_message(void) {
  return cvf::runtime::last_message;
}

int cvf_model_load(const char* folder, const char* const* settings, size_t setting_count, cvf_model** model) {
  return guarded([&] {
    required(model, "model") = nullptr;
    required(folder, "folder");
    cvf::log::set_level(cvf::log::Level::quiet);  // the terminal is the host's
    std::vector<std::string> all;
    for (size_t i = 0; i < setting_count; ++i) {
      required(settings, "settings");
      all.emplace_back(&required(settings[i], "a setting"));
    }
    *model = new cvf_model(cvf::runtime::Model::load(folder, all));
  });
}

int cvf_model_on_grid(const cvf_model* model, int64_t ny, int64_t nx, double dy, double dx,
                      cvf_model** on_grid) {
  return guarded([&] {
    required(on_grid, "on_grid") = nullptr;
    auto made = std::make_unique<cvf_model>(required(model, "model").model.on_grid(ny, nx, dy, dx));
    made->threads = model->threads.load();
    *on_grid = made.release();
  });
}

void cvf_model_free(cvf_model* model) {
  delete model;
}

int cvf_model_set_threads(cvf_model* model, int threads) {
  return guarded([&] {
    required(model, "model");
    if (threads < 1 || threads > cvf::runtime::most_threads) {
      throw cvf::UsageError("{} threads: give 1 to {}", threads, cvf::runtime::most_threads);
    }
    model->threads = threads;
  });
}

int cvf_model_describe(const cvf_model* model, cvf_description* description) {
  return guarded([&] {
    const auto& loaded = required(model, "model").model;
    const auto& spec = loaded.spec();
    const auto& state = loaded.state();
    const auto count = [&](cvf_names which) {
      return static_cast<int32_t>(model->names[static_cast<std::size_t>(which)].size());
    };
    const auto spacing = [&](const char* axis) {
      return state.axis(axis) != nullptr ? state.axis(axis)->spacing() : NAN;
    };
    required(description, "description") = {
        .folder = loaded.path().c_str(),
        .field = spec.field.name.c_str(),
        .normalizer = spec.normalizer.c_str(),
        .solver = loaded.solver_choice().name.c_str(),
        .boundary = model->boundary.c_str(),
        .channels = count(CVF_CHANNELS),
        .parameters = count(CVF_PARAMETERS),
        .statics = count(CVF_STATICS),
        .controls = count(CVF_CONTROLS),
        .control_fields = count(CVF_CONTROL_FIELDS),
        .axes = static_cast<int32_t>(state.axes.size()),
        .ny = static_cast<int64_t>(state.size_along("y")),
        .nx = static_cast<int64_t>(state.size_along("x")),
        .state_values = static_cast<int64_t>(loaded.values()),
        .dy = spacing("y"),
        .dx = spacing("x"),
        .frame_interval = spec.state.dt_ref,
        .shortest_step = spec.state.delta_min,
        .longest_step = spec.state.largest_dt,
    };
  });
}

int cvf_model_members(const cvf_model* model) {
  return model == nullptr ? 0 : static_cast<int>(model->model.members());
}

const char* cvf_model_name(const cvf_model* model, int names, size_t index) {
  if (model == nullptr || names < 0 || static_cast<std::size_t>(names) >= model->names.size()) return nullptr;
  const auto& some = model->names[static_cast<std::size_t>(names)];
  return index < some.size() ? some[index].c_str() : nullptr;
}
