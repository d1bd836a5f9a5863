// How a host program ends a call that computes for long: a function of its own that is called now and then.
#pragma once

namespace cvf::runtime {

using Stop = int (*)(void* user);

/// For the calls of this thread from now on; null: none.
void set_stop(Stop stop, void* user) noexcept;

/// Calls that function if its last call was long enough ago, an Interrupted when it returns another number
/// than 0. Between two evaluations of the network.
void check_stop();

}  // namespace cvf::runtime
