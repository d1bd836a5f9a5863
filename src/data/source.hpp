// Trajectories from a file, whatever its layout: the one face that the loader, the audit and every tool read;
// and sources made from other sources.
//
// The internal form is (sample, time, axes of the grid, channel), float32. Lengths and times may differ from
// sample to sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/sample_context.hpp"
#include "core/state_spec.hpp"

namespace cvf::data {

struct Description {
  std::string file;
  std::string layout;  // "PDEBench groups", "The Well", ...
  std::string axes;    // how the file stores it, e.g. "t,y,x,c"
  std::size_t samples = 0;
  /// The channels of the frames, and what the file has beside them: parameters (some of the scalars), static
  /// fields and controls of each sample.
  StateSpec state;
  std::vector<std::size_t> frames;                // for each sample
  std::map<std::string, std::string> attributes;  // scalars and texts worth showing
  ContextNames context;                           // what `context` gives for each sample
  std::vector<std::string> notes;  // what was noticed, e.g. a coordinate array that is one entry too long

  std::vector<std::string> channels() const { return state.names(); }
  std::size_t frame_size() const { return state.frame_size(); }  // values in one frame
};

class Source {
 public:
  virtual ~Source() = default;
  virtual const Description& description() const = 0;

  /// Time stamps of one sample, as many as it has frames, strictly increasing.
  virtual std::vector<double> times(std::size_t sample) const = 0;

  /// Reads `count` frames of one sample from `first` on into `out` [count, axes, C]. Safe from any thread.
  virtual void read(std::size_t sample, std::size_t first, std::size_t count, std::span<float> out) const = 0;

  /// Numbers stored with one sample: parameters of its equation, solver statistics.
  virtual std::map<std::string, double> scalars(std::size_t sample) const = 0;

  /// What the sample's state moves under (see with_context); null: nothing that was asked for.
  virtual SampleContextPointer context(std::size_t /*sample*/) const { return nullptr; }

  /// A static field of one sample, [axes], and a control, [T], or control field, [T, axes], at times(sample),
  /// between which it is linear. All values are finite. A name that the description does not list is a
  /// DataError.
  virtual std::vector<float> static_field(std::size_t sample, const std::string& name) const;
  virtual std::vector<float> control(std::size_t sample, const std::string& name) const;
};

/// The parameters of one sample, in the order of the description. Finite, or a DataError.
std::vector<double> parameters_of(const Source& source, std::size_t sample);

/// What a user says about a plain array that nothing in the file tells.
struct OpenOptions {
  std::string dataset;  // path of the array, for plain HDF5 and NPZ
  std::string axes;     // e.g. "n,t,y,x,c"; overrides what the layout implies
  double dt = 0;        // spacing when the file has no times; 0 = use 1 and say so
};

/// Opens by content, never by file name. Throws DataError naming file and dataset.
std::unique_ptr<Source> open(const std::string& file, const OpenOptions& options = {});

/// For a program's `main`, before it opens anything: libhdf5 cleans up nothing when the process ends. Files
/// are closed by their owners, and after a read that failed it would complain on stderr about memory of its
/// own.
void leave_hdf5_as_it_is_at_exit();

/// Throws a DataError that names file, sample, frame and channel of the first value that is not a number or
/// infinite. `values` are whole frames of `sample` from frame `first` on, as `read` gave them.
void require_finite(const Source& source, std::size_t sample, std::size_t first,
                    std::span<const float> values);

// Sources made from other sources: fewer channels or other names of them, a coarser grid. Each reads only
// what it needs from below.

/// The named channels in the given order. An unknown name is a DataError that lists the known ones.
std::shared_ptr<const Source> with_channels(std::shared_ptr<const Source> source,
                                            const std::vector<std::string>& channels);

/// The same channels under other names, one for each.
std::shared_ptr<const Source> renamed(std::shared_ptr<const Source> source, std::vector<std::string> names);

/// Every axis with coordinates that descend turned round, so that they ascend; notes name them. `open` has
/// done so.
std::unique_ptr<Source> ascending(std::unique_ptr<Source> source);

/// Means over blocks of factor x factor cells (1-D: factor cells). The grid must be divisible.
std::shared_ptr<const Source> averaged(std::shared_ptr<const Source> source, std::size_t factor);

// A look at an HDF5 file by another process, before this one touches it. libhdf5 crashes or loops on some
// damaged files, and files come from strangers: it costs one sentence instead of the program.

/// The program that looks (src/cli/probe), found beside the one that runs; set by `main`. Without one, as in
/// a host program that only links this library, files are opened as they are.
void use_probe(const std::string& program);

/// Throws a DataError when the look ends in a refusal, a crash or a limit. A file that has passed is not
/// looked at again while it stays as it is.
void probe(const std::string& file, const OpenOptions& options);

/// The same for a file of controls (context.hpp).
void probe_controls(const std::string& file);

}  // namespace cvf::data
