/* A trained cvf model inside any program: load its folder, hand over states in physical units, get them back
   at a later time, with how far the model trusts itself. Neither LibTorch nor HDF5 behind it, and no threads
   but those that you ask for.

     cvf_model* model;
     if (cvf_model_load("runs/mine", NULL, 0, &model) != CVF_OK) puts(cvf_message());
     double dt = 0.1;
     cvf_advance(model, 1, state, &dt, NULL, NULL);   // in place
     cvf_model_free(model);

   States are [batch][channel][y][x], row by row, double or (functions that end in _f32) float. A model never
   changes after it was loaded: any number of threads may use one at once, each call has its own workspace.

   Every function that can fail returns a cvf_code; cvf_message() then has one sentence about it, on the
   thread that called. No exception leaves the library. */
#ifndef CVF_CVF_H
#define CVF_CVF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(CVF_BUILDING)
#define CVF_API __attribute__((visibility("default")))
#else
#define CVF_API
#endif

/* Structs and functions stay as they are while this number does; functions may be added. */
#define CVF_ABI_VERSION 1
CVF_API int cvf_abi_version(void);     /* of the library: compare it with CVF_ABI_VERSION */
CVF_API const char* cvf_version(void); /* "0.1.0" */

typedef enum cvf_code {
  CVF_OK = 0,
  CVF_UNEXPECTED = 1,
  CVF_USAGE = 2,      /* an argument makes no sense */
  CVF_CONFIG = 3,     /* a setting makes no sense */
  CVF_DATA = 4,       /* times, contexts or states that do not fit or are not finite */
  CVF_MODEL = 5,      /* a folder that is missing, damaged, or of another format */
  CVF_NUMERICS = 6,   /* a state did not get where it should; the others did */
  CVF_INTERRUPTED = 8 /* a visitor stopped the forecast, or the function of cvf_set_stop the call */
} cvf_code;

/* What went wrong in the last call on this thread that failed. */
CVF_API const char* cvf_message(void);

/* ---- the model ------------------------------------------------------------------------------------------
 */

typedef struct cvf_model cvf_model;

/* `folder` is a model's, or a run's (its best, else its last model). `settings` choose and tune the solver,
   "solver.name=euler", "solver.slack=1"; without any: the solver of the run that trained the model. */
CVF_API int cvf_model_load(const char* folder, const char* const* settings, size_t setting_count,
                           cvf_model** model);
/* The same weights on another grid, where the field has no positions (conv): any of the training spacing. dy
   and dx are yours, 0 where they should not be compared. To be freed as well. */
CVF_API int cvf_model_on_grid(const cvf_model* model, int64_t ny, int64_t nx, double dy, double dx,
                              cvf_model** on_grid);
CVF_API void cvf_model_free(cvf_model* model); /* NULL is fine */

/* Threads of each call with this model: 1 until you say otherwise, and then the pool of OpenMP is used. */
CVF_API int cvf_model_set_threads(cvf_model* model, int threads);

typedef struct cvf_description {
  const char *folder, *field, *normalizer, *solver, *boundary; /* live as long as the model */
  int32_t channels, parameters, statics, controls, control_fields;
  int32_t axes;                       /* 0: a vector, 1: a line along x, 2: y and x */
  int64_t ny, nx;                     /* cells */
  int64_t state_values;               /* channels * ny * nx */
  double dy, dx;                      /* spacing of the grid; NaN: not known */
  double frame_interval;              /* of training: the unit of the field's step */
  double shortest_step, longest_step; /* of training: beyond the longest the field extrapolates */
} cvf_description;
CVF_API int cvf_model_describe(const cvf_model* model, cvf_description* description);

/* How many networks were trained together (train.members); 1 for most models. Each goes its own way, with
   steps of its own; states that come back are their mean. */
CVF_API int cvf_model_members(const cvf_model* model);

typedef enum cvf_names {
  CVF_CHANNELS = 0,
  CVF_PARAMETERS = 1,
  CVF_STATICS = 2,
  CVF_CONTROLS = 3,
  CVF_CONTROL_FIELDS = 4
} cvf_names;
/* NULL: there is no such one. Lives as long as the model. */
CVF_API const char* cvf_model_name(const cvf_model* model, int names, size_t index);

/* ---- what states move under -----------------------------------------------------------------------------
 */

/* The context of one state, in physical units and in the order of the names above. */
typedef struct cvf_context {
  const double* parameters; /* [parameters] */
  const float* statics;     /* [statics][y][x] */
  const double* times;      /* [time_count] of the controls, linear between them; equal ones are a jump */
  size_t time_count;
  const float* controls;       /* [time_count][controls] */
  const float* control_fields; /* [time_count][control_fields][y][x] */
} cvf_context;

typedef struct cvf_conditions {
  const cvf_context* contexts; /* one for each state, or one for all */
  size_t context_count;
  const double* start_times; /* of each state, on the clock of the controls; NULL: 0 */
} cvf_conditions;

/* Ends long calls: the calls that this thread makes from now on call `stop` now and then (every 20 ms, between
   two evaluations of the network), on this thread. Another number than 0 ends the call with CVF_INTERRUPTED;
   states that were reached before have moved. NULL: none. */
typedef int (*cvf_stop)(void* user);
CVF_API void cvf_set_stop(cvf_stop stop, void* user);

/* ---- steps ----------------------------------------------------------------------------------------------
 */

typedef enum cvf_status {
  CVF_DONE = 0,
  CVF_AT_FLOOR = 1,        /* somewhere a shorter step than the least one was wanted, and that was taken */
  CVF_TOO_MANY_PROBES = 2, /* somewhere the search for a step was cut off, and the least one was taken */
  CVF_TOO_MANY_STEPS = 3,  /* this and what follows: not reached */
  CVF_STEP_UNDERFLOW = 4,
  CVF_NON_FINITE = 5,
  /* reached, but a state or a step is far outside of what the model was trained on: by more than the width of
     a channel's training range, or longer than twice the longest step. No error: the model extrapolates.
     Worse than CVF_TOO_MANY_PROBES, less than CVF_TOO_MANY_STEPS. Models that store no range have it never. */
  CVF_OUTSIDE_TRAINING = 6
} cvf_status;

typedef struct cvf_result {
  int32_t status;             /* the worst that happened */
  int32_t reached;            /* 1, or 0: the state was left as it was */
  double time, step;          /* where the status was seen first */
  int64_t evaluations;        /* of the network */
  int64_t accepted, rejected; /* steps */
  double largest_error; /* of an accepted step, as the solver judged it: the NRE of gcs; NaN: not measured,
                           as by euler, the usual one: see cvf_nre, cvf_trace_nre */
} cvf_result;           /* of several members: counts of all, the worst status, reached when all got there */

/* One evaluation, state + dt * psi(state, dt), in place: the cheapest step there is, and nobody checks it. dt
   is one for each state, above 0. conditions and results ([batch]) may be NULL. */
CVF_API int cvf_step(const cvf_model* model, size_t batch, double* states, const double* dt,
                     const cvf_conditions* conditions, cvf_result* results);
CVF_API int cvf_step_f32(const cvf_model* model, size_t batch, float* states, const double* dt,
                         const cvf_conditions* conditions, cvf_result* results);

/* In as many steps as the solver finds right, each state on its own. */
CVF_API int cvf_advance(const cvf_model* model, size_t batch, double* states, const double* dt,
                        const cvf_conditions* conditions, cvf_result* results);
CVF_API int cvf_advance_f32(const cvf_model* model, size_t batch, float* states, const double* dt,
                            const cvf_conditions* conditions, cvf_result* results);

/* The normalised rupture error that a cvf_step of dt would have (of several members: their mean): three
   evaluations, nothing moves. nre [batch] */
CVF_API int cvf_nre(const cvf_model* model, size_t batch, const double* states, const double* dt,
                    const cvf_conditions* conditions, double* nre);
CVF_API int cvf_nre_f32(const cvf_model* model, size_t batch, const float* states, const double* dt,
                        const cvf_conditions* conditions, double* nre);

/* ---- forecasts ------------------------------------------------------------------------------------------
 */

/* How a forecast went; to be freed. */
typedef struct cvf_trace cvf_trace;

/* Through all times (increasing, on the clock of the start times; time_lists lists of time_count each: one
   for each state, or one for all) in one solve. forecast [batch][time_count][state_values], NaN where not
   reached. trace may be NULL; it is made also when the code is CVF_NUMERICS. */
CVF_API int cvf_forecast(const cvf_model* model, size_t batch, const double* states, const double* times,
                         size_t time_lists, size_t time_count, const cvf_conditions* conditions,
                         double* forecast, cvf_trace** trace);
CVF_API int cvf_forecast_f32(const cvf_model* model, size_t batch, const float* states, const double* times,
                             size_t time_lists, size_t time_count, const cvf_conditions* conditions,
                             float* forecast, cvf_trace** trace);

/* Takes each state when it is reached: long forecasts need no memory. Another number than 0 stops it. */
typedef int (*cvf_visit)(void* user, size_t sample, size_t target, double time, const double* state);
typedef int (*cvf_visit_f32)(void* user, size_t sample, size_t target, double time, const float* state);
CVF_API int cvf_forecast_visit(const cvf_model* model, size_t batch, const double* states,
                               const double* times, size_t time_lists, size_t time_count,
                               const cvf_conditions* conditions, cvf_visit visit, void* user,
                               cvf_trace** trace);
CVF_API int cvf_forecast_visit_f32(const cvf_model* model, size_t batch, const float* states,
                                   const double* times, size_t time_lists, size_t time_count,
                                   const cvf_conditions* conditions, cvf_visit_f32 visit, void* user,
                                   cvf_trace** trace);

/* The same for a model of several members, with their standard deviation beside their mean: spread as large
   as the forecast, or NULL. A state is handed over when all members have reached its time; the spread that a
   visitor gets from a model of one member is NULL. */
CVF_API int cvf_forecast_spread(const cvf_model* model, size_t batch, const double* states,
                                const double* times, size_t time_lists, size_t time_count,
                                const cvf_conditions* conditions, double* forecast, double* spread,
                                cvf_trace** trace);
CVF_API int cvf_forecast_spread_f32(const cvf_model* model, size_t batch, const float* states,
                                    const double* times, size_t time_lists, size_t time_count,
                                    const cvf_conditions* conditions, float* forecast, float* spread,
                                    cvf_trace** trace);
typedef int (*cvf_visit_spread)(void* user, size_t sample, size_t target, double time, const double* state,
                                const double* spread);
typedef int (*cvf_visit_spread_f32)(void* user, size_t sample, size_t target, double time, const float* state,
                                    const float* spread);
CVF_API int cvf_forecast_visit_spread(const cvf_model* model, size_t batch, const double* states,
                                      const double* times, size_t time_lists, size_t time_count,
                                      const cvf_conditions* conditions, cvf_visit_spread visit, void* user,
                                      cvf_trace** trace);
CVF_API int cvf_forecast_visit_spread_f32(const cvf_model* model, size_t batch, const float* states,
                                          const double* times, size_t time_lists, size_t time_count,
                                          const cvf_conditions* conditions, cvf_visit_spread_f32 visit,
                                          void* user, cvf_trace** trace);

CVF_API void cvf_trace_free(cvf_trace* trace);
/* Of the whole way, and of the interval that leads to one target. */
CVF_API int cvf_trace_result(const cvf_trace* trace, size_t sample, cvf_result* result);
CVF_API int cvf_trace_target(const cvf_trace* trace, size_t sample, size_t target, cvf_result* result);
/* A sentence about a sample that did not go all well, else ""; lives as long as the trace. */
CVF_API const char* cvf_trace_message(const cvf_trace* trace, size_t sample);

/* The largest NRE of a step on the way to each target of a sample, of any member: nre [time_count]. Where the
   solver measured none (euler), a second pass measures it at the first request: three evaluations per
   step. NaN for solvers that go along tangents. */
CVF_API int cvf_trace_nre(const cvf_trace* trace, size_t sample, double* nre);

typedef struct cvf_accepted_step {
  double time, length, error;
} cvf_accepted_step;
/* The accepted steps of a sample (of its first member) in order; they live as long as the trace. */
CVF_API int cvf_trace_steps(const cvf_trace* trace, size_t sample, const cvf_accepted_step** steps,
                            size_t* count);

/* The error bar (RMSE over all values, physical units) of each target of a sample, at this coverage (0.9,
   say): bars [time_count]; infinite where nothing is promised. Needs the calibration that `cvf evaluate
   --calibrate` leaves beside the model: by the NRE of its steps, the spread of several members, or step
   doubling. The last one goes the way once more when it is first asked for, and needs a model that was loaded
   after it was calibrated. */
CVF_API int cvf_trace_error_bars(const cvf_trace* trace, size_t sample, double coverage, double* bars);

/* Error bars of single values from the spread of count states [count][state_values], each so long after its
   start: lead_times [count], bars as the spread. Needs a calibration by the spread. */
CVF_API int cvf_value_bars(const cvf_model* model, size_t count, const double* spread,
                           const double* lead_times, double coverage, double* bars);
CVF_API int cvf_value_bars_f32(const cvf_model* model, size_t count, const float* spread,
                               const double* lead_times, double coverage, float* bars);

#ifdef __cplusplus
}
#endif

#endif
