#include "report/forecasts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "core/errors.hpp"
#include "data/source.hpp"
#include "run/run_file.hpp"

namespace cvf::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_samples = 6;  // of a file, to choose from

// Studies used to write forecast.h5; who works by hand may add a word to the name.
std::string forecast_in(const std::string& run) {
  std::vector<std::string> found;
  if (!fs::is_directory(run)) return "";
  for (const auto& entry : fs::directory_iterator(run)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("forecast") && entry.path().extension() == ".h5")
      found.push_back(entry.path().string());
  }
  return found.empty() ? "" : *std::min_element(found.begin(), found.end());
}

std::size_t source_sample(const Forecast& forecast) {
  const auto scalars = forecast.source->scalars(forecast.index);
  const auto found = scalars.find("source_sample");
  return found == scalars.end() || !(found->second >= 0) ? 0 : static_cast<std::size_t>(found->second);
}

double tolerance(const std::vector<double>& times) {
  return times.size() < 2 ? 1e-9 : 1e-4 * (times.back() - times.front()) / static_cast<double>(times.size());
}

bool agree(const Forecast& a, const Forecast& b) {
  const auto &x = a.source->description(), &y = b.source->description();
  const double slack = tolerance(a.times);
  return x.channels() == y.channels() && x.state.same_grid(y.state) && source_sample(a) == source_sample(b) &&
         std::equal(a.times.begin(), a.times.end(), b.times.begin(), b.times.end(),
                    [slack](double s, double t) { return std::abs(s - t) <= slack; });
}

Group& group_for(std::vector<Group>& groups, Group wanted) {
  const auto key = [](const Group& g) {
    return std::tie(g.data, g.option, g.evaluation, g.protocol, g.sample);
  };
  const auto found =
      std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return key(g) == key(wanted); });
  return found != groups.end() ? *found : groups.emplace_back(std::move(wanted));
}

void add(Group& group, Forecast forecast, std::vector<std::string>& notes) {
  const bool known = std::any_of(group.forecasts.begin(), group.forecasts.end(),
                                 [&](const Forecast& f) { return f.method == forecast.method; });
  if (known) return;  // an earlier seed
  if (!group.forecasts.empty() && !agree(group.first(), forecast)) {
    notes.push_back(
        fmt::format("{}: predicts other times or another grid than {}, so it is not shown beside it.",
                    forecast.file, group.first().file));
    return;
  }
  group.forecasts.push_back(std::move(forecast));
}

// The samples of a file, each to the group of its kind.
void add_file(std::vector<Group>& groups, const Cell& cell, const std::string& evaluation,
              const std::string& file, std::vector<std::string>& notes) {
  const std::shared_ptr<const data::Source> source = data::open(file);
  const auto& attributes = source->description().attributes;
  const auto protocol = attributes.find("protocol");
  for (std::size_t i = 0; i < std::min(source->description().samples, most_samples); ++i) {
    Forecast forecast{cell.method, cell.run, file, source, i, source->times(i)};
    Group wanted{cell.data,
                 cell.option,
                 evaluation,
                 evaluation.empty() || protocol == attributes.end() ? "" : protocol->second,
                 source_sample(forecast),
                 {}};
    add(group_for(groups, std::move(wanted)), std::move(forecast), notes);
  }
}

// ---- truth

// The path in run.toml was right where the run was started, which need not be here: perhaps in a folder
// above.
std::string find_file(const std::string& name, const std::string& folder, const std::string& other) {
  std::vector<fs::path> candidates{name, other};
  for (fs::path above = fs::absolute(folder).lexically_normal(); above.has_relative_path();
       above = above.parent_path()) {
    candidates.push_back(above / name);
  }
  const auto found = std::find_if(candidates.begin(), candidates.end(), [](const fs::path& file) {
    return !file.empty() && fs::is_regular_file(file);
  });
  return found == candidates.end() ? "" : found->string();
}

std::shared_ptr<const data::Source> fitted(std::shared_ptr<const data::Source> source,
                                           const data::Description& to) {
  source = data::with_channels(source, to.channels());
  const StateSpec own = source->description().state;
  const std::size_t columns = own.size_along("x"), wanted = to.state.size_along("x");
  if (columns > wanted && columns % wanted == 0) source = data::averaged(source, columns / wanted);
  if (!source->description().state.same_grid(to.state)) {
    throw DataError("{}: its grid of {} does not fit the forecast's {}", source->description().file,
                    own.grid_text(), to.state.grid_text());
  }
  return source;
}

std::vector<std::optional<std::size_t>> frames_at(const std::vector<double>& wanted,
                                                  const std::vector<double>& own) {
  std::vector<std::optional<std::size_t>> out;
  const double slack = tolerance(wanted);
  for (const double time : wanted) {
    const auto found = std::lower_bound(own.begin(), own.end(), time - slack);
    const bool there = found != own.end() && *found <= time + slack;
    out.push_back(there ? std::optional(static_cast<std::size_t>(found - own.begin())) : std::nullopt);
  }
  return out;
}

data::OpenOptions options_of(const run::RunFile& run) {
  return {run.word("data.dataset"), run.word("data.axes"),
          std::strtod(run.word("data.dt", "0").c_str(), nullptr)};
}

Truth open_truth(const Group& group, const std::string& folder, Sources& opened) {
  const auto& forecast = group.first();
  const auto& about = forecast.source->description();
  const auto run = run::RunFile::in(forecast.run);
  const auto other = about.attributes.find("forecast_of");
  const std::string name = run.data_file();
  const std::string file = find_file(name, folder, other == about.attributes.end() ? "" : other->second);
  if (file.empty())
    return {nullptr, {}, fmt::format("The truth is not shown: the data file '{}' is gone.", name)};
  const auto how = options_of(run);
  auto& source = opened[fmt::format("{}|{}|{}|{}", file, how.dataset, how.axes, how.dt)];
  if (!source) source = data::open(file, how);
  Truth truth{fitted(source, about), {}, ""};
  truth.frames = frames_at(forecast.times, truth.source->times(group.sample));
  return truth;
}

}  // namespace

std::vector<Group> find_forecasts(const Folder& folder, std::vector<std::string>& notes) {
  std::vector<Group> groups;
  for (const auto& cell : folder.cells) {
    auto files = cell.forecasts;
    // Who works by hand, and older studies, have forecasts of no evaluation.
    const std::string other = cell.forecast.empty() ? forecast_in(cell.run) : cell.forecast;
    if (files.empty() && !other.empty()) files.emplace_back("", other);
    for (const auto& [evaluation, file] : files) {
      try {
        add_file(groups, cell, evaluation, file, notes);
      } catch (const Interrupted&) {
        throw;
      } catch (const Error& error) {
        notes.push_back(fmt::format("A forecast is not shown: {}.", error.what()));
      }
    }
  }
  std::erase_if(groups, [](const Group& g) { return g.forecasts.empty(); });
  return groups;
}

Truth find_truth(const Group& group, const std::string& folder, Sources& opened) {
  try {
    return open_truth(group, folder, opened);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    return {nullptr, {}, fmt::format("The truth is not shown: {}.", error.what())};
  }
}

}  // namespace cvf::report
