#include "metrics/definitions.hpp"

#include <fmt/format.h>

#include <array>

namespace cvf::metrics {

std::span<const Definition> all_definitions() {
  static constexpr std::array<Definition, 10> rows{{
      {"step_rmse", "L_{t+1}", "physical",
       "root of the mean square of one-step errors from true frames, over all samples, frames and elements; "
       "also for each channel",
       true},
      {"rollout_rmse", "L_tau", "physical",
       "root of the mean over predicted frames of the frame's mean square error; frame 0 never counts; also "
       "frame by frame and for each channel",
       true},
      {"normalized_rmse", "nRMSE", "1",
       "rollout_rmse with the error of each channel divided by the channel's standard deviation over all "
       "scored frames "
       "and samples of the truth (a constant channel: by its magnitude), so that channels of any unit count "
       "alike; also "
       "frame by frame and for each channel",
       true},
      {"relative_l2", "rel L2", "1",
       "mean over samples of |prediction - truth| / |truth|, L2 norms over all frames and elements of the "
       "sample",
       true},
      {"spectrum_error", "E(k)", "1",
       "radially averaged energy spectra of the fluctuations: sum of |E_prediction(k) - E_truth(k)| over the "
       "sum of "
       "E_truth(k), over wave numbers k >= 1, samples and frames; mean over channels",
       true},
      {"conserved", "drift", "1",
       "for each total that the system keeps (or loses through open edges only): mean over samples of the "
       "largest "
       "difference from the truth's total at the same frame, over the sum of magnitudes in the truth; the "
       "worst total "
       "is the value",
       true},
      {"correlation_time", "t_corr", "time",
       "mean over samples of the first time at which the Pearson correlation over space with the truth, "
       "averaged over "
       "channels, is below 0.8; the last time for samples that never fall, and then a lower bound",
       true},
      {"nfe", "NFE", "evaluations",
       "evaluations of psi for a sample, rejected probes included: mean over intervals (time-informed) or "
       "over targets, "
       "each from the start (direct)",
       false},
      {"seconds_per_frame", "s/frame", "s", "wall clock of a predicted frame of one sample", false},
      {"cped", "CPED", "1/physical",
       "(NFE_model / NFE_base) / (L_base - L_model), the base being tangent matching; '-' where L_base <= "
       "L_model",
       true},
  }};
  return rows;
}

std::string definitions() {
  std::string out;
  for (const auto& row : all_definitions()) {
    out += fmt::format("{} ({}) [{}]: {}.\n", row.name, row.symbol, row.unit, row.definition);
  }
  return out;
}

}  // namespace cvf::metrics
