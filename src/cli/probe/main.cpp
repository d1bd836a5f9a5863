// cvf-probe FILE DATASET AXES DT, or --controls FILE: opens a data file, or a file of controls, as cvf would
// and reads some of it, with little time, little memory and no right to write. cvf starts it before it opens
// an HDF5 file itself: on a damaged or hostile one libhdf5 may crash or never come back, which then happens
// here. Exit code 0: sound as far as one can see; 4: refused, with the sentence on stdout; anything else: it
// did not survive.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <new>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "data/context.hpp"
#include "data/source.hpp"

namespace cvf {
namespace {

void limit(int resource, rlim_t soft, rlim_t hard) {
  const rlimit bounds{soft, hard};
  setrlimit(static_cast<__rlimit_resource>(resource), &bounds);
}

// An honest file may be so large that only a part can be looked at: the soft limit of time ends the look, the
// hard one is for a library that does not listen.
void restrict_process() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  std::signal(SIGXCPU, [](int) { interrupt::request(); });
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int wish : {SIGINT, SIGTERM}) std::signal(wish, SIG_IGN);  // for cvf, which ends us
  limit(RLIMIT_CPU, 2, 12);
#ifndef __SANITIZE_ADDRESS__  // which reserves terabytes
  limit(RLIMIT_AS, rlim_t{4} << 30, rlim_t{4} << 30);
#endif
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_FSIZE, 0, 0);
}

void look_at(const data::Source& source) {
  constexpr std::size_t most_values = std::size_t{1} << 24;
  const data::Description& about = source.description();
  std::vector<float> frame(std::min(about.frame_size(), most_values));
  std::size_t read = 0;
  const std::size_t step = std::max<std::size_t>(1, about.samples / 8);
  for (std::size_t next = 0; next < about.samples + step; next += step) {  // the last sample too
    const std::size_t sample = std::min(next, about.samples - 1), frames = about.frames[sample];
    source.times(sample);
    source.scalars(sample);
    for (const auto& name : about.state.names(Role::control)) source.control(sample, name);
    for (const auto& name : about.state.names(Role::static_field)) {
      if (interrupt::requested() || (read += about.state.cells()) > most_values) return;
      source.static_field(sample, name);
    }
    for (const auto& name : about.state.names(Role::control_field)) {
      if (interrupt::requested() || (read += frames * about.state.cells()) > most_values) return;
      source.control(sample, name);
    }
    for (const std::size_t t : {std::size_t{0}, frames / 2, frames - 1}) {
      if (interrupt::requested() || (read += about.frame_size()) > most_values) return;
      source.read(sample, t, 1, frame);
    }
  }
}

template <class Look>
int look_through(const std::string& file, const Look& look) {
  try {
    look();
  } catch (const Interrupted&) {
    return 0;
  } catch (const std::bad_alloc&) {
    fmt::print("{}: needs more than 4 GB to be opened: it is damaged, or no file for this program", file);
    return static_cast<int>(Exit::data);
  } catch (const std::exception& refusal) {
    fmt::print("{}", refusal.what());
    return static_cast<int>(Exit::data);
  }
  return 0;
}

}  // namespace
}  // namespace cvf

int main(int argc, char** argv) {
  const bool of_controls = argc == 3 && std::string_view(argv[1]) == "--controls";
  if (argc != 5 && !of_controls) return static_cast<int>(cvf::Exit::usage);
  cvf::restrict_process();
  cvf::data::leave_hdf5_as_it_is_at_exit();
  if (of_controls)
    return cvf::look_through(argv[2], [&] { cvf::data::GivenContext{}.read_controls(argv[2]); });
  return cvf::look_through(argv[1], [&] {
    cvf::look_at(*cvf::data::open(argv[1], {argv[2], argv[3], std::strtod(argv[4], nullptr)}));
  });
}
