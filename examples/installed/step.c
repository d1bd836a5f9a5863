/* Steps a batch of states with a trained model: step MODEL. Prints what came of it, value by value. */
#include <cvf/cvf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { batch = 3, times = 2 };

static void check(int code) {
  if (code == CVF_OK) return;
  fprintf(stderr, "step: %s\n", cvf_message());
  exit(code);
}

static void print(const char* word, const double* values, size_t count) {
  for (size_t i = 0; i < count; ++i) printf("%s %.10g\n", word, values[i]);
}

int main(int argc, char** argv) {
  cvf_model* model;
  cvf_description about;
  if (argc != 2 || cvf_abi_version() != CVF_ABI_VERSION) return CVF_USAGE;
  check(cvf_model_load(argv[1], NULL, 0, &model));
  check(cvf_model_describe(model, &about));
  const size_t values = (size_t)about.state_values;
  double* states = malloc(batch * values * sizeof(double));
  double* forecast = malloc(batch * times * values * sizeof(double));
  for (size_t i = 0; i < batch * values; ++i) states[i] = sin(0.37 * (double)(i + 1));

  const double dt[batch] = {0.1, 0.2, 0.3}, longer[batch] = {0.9, 0.8, 0.7}, when[times] = {0.25, 0.5};
  double nre[batch];
  cvf_result results[batch];
  check(cvf_nre(model, batch, states, dt, NULL, nre));
  print("nre", nre, batch);
  check(cvf_step(model, batch, states, dt, NULL, NULL));
  print("step", states, batch * values);
  check(cvf_advance(model, batch, states, longer, NULL, results));
  print("advance", states, batch * values);
  for (int i = 0; i < batch; ++i) printf("evaluations %d\n", (int)results[i].evaluations);
  check(cvf_forecast(model, batch, states, when, 1, times, NULL, forecast, NULL));
  print("forecast", forecast, batch * times * values);

  free(forecast);
  free(states);
  cvf_model_free(model);
  return 0;
}
