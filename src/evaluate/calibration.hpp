// The error bars of metrics, under the names of this room.
#pragma once

#include "evaluate/doubt.hpp"
#include "metrics/calibration.hpp"

namespace cvf::evaluate {

using metrics::BinOfTrajectory;
using metrics::Calibration;
using metrics::calibration_file;
using metrics::doubts;
using metrics::infinite;
using metrics::least_nre;
using metrics::load_calibration;
using metrics::octaves;
using metrics::save;
using metrics::share_within;
using metrics::thinned;

}  // namespace cvf::evaluate
