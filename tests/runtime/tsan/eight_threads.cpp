// Eight threads advance states with one model; each must get the bits that one thread gets. Built with libcvf
// and the thread sanitizer by `make tsan`, which LibTorch would not survive.
//   eight_threads MODEL...    folders of runs or models
#include <cvf/cvf.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

void require(int code) {
  if (code == CVF_OK) return;
  std::fprintf(stderr, "eight_threads: %s\n", cvf_message());
  std::exit(1);
}

std::vector<float> advanced(const cvf_model* model, const cvf_description& d) {
  constexpr std::size_t rows = 3;
  std::vector<float> states(rows * static_cast<std::size_t>(d.state_values));
  for (std::size_t i = 0; i < states.size(); ++i) states[i] = 0.1F * static_cast<float>(i % 7) - 0.3F;
  const std::vector<double> dt(rows, d.longest_step);
  std::vector<cvf_result> results(rows);
  for (int k = 0; k < 3; ++k)
    require(cvf_advance_f32(model, rows, states.data(), dt.data(), nullptr, results.data()));
  return states;
}

}  // namespace

int main(int count, char** folders) {
  int different = 0;
  for (int i = 1; i < count; ++i) {
    cvf_model* model = nullptr;
    require(cvf_model_load(folders[i], nullptr, 0, &model));
    cvf_description d{};
    require(cvf_model_describe(model, &d));
    const auto alone = advanced(model, d);
    std::vector<std::vector<float>> together(8);
    std::vector<std::thread> threads;
    for (auto& out : together) threads.emplace_back([&] { out = advanced(model, d); });
    for (auto& thread : threads) thread.join();
    for (const auto& out : together) different += out == alone ? 0 : 1;
    std::printf("%s (%s): %d results differ\n", folders[i], d.field, different);
    cvf_model_free(model);
  }
  return different == 0 && count > 1 ? 0 : 1;
}
