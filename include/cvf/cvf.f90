! The C interface of libcvf (cvf.h) for Fortran. Compile this file, beside which the .inc files lie, with your own
! program: modules of one compiler are not read by another.
!
!   use cvf
!   type(cvf_model) :: model
!   call cvf_model_load(model, 'runs/mine')
!   allocate (states(model%state_values, batch))      ! (x, y, channel) of a state fastest, as it stands in C
!   call cvf_model_step(model, states, dt)            ! one dt for each state, in place
!   call cvf_model_free(model)
!
! Every routine takes status and message: without a status, what goes wrong ends the program with the sentence.
! States are real(c_double) or real(c_float). CVF_NUMERICS: a state did not get where it should and was left as it
! was; the others did. Samples, targets and names are counted from 1. How a forecast went is kept by a trace:
!
!   type(cvf_trace) :: trace
!   call cvf_model_forecast(model, states, times, forecast, trace=trace)   ! spread=... of several members
!   call cvf_trace_error_bars(trace, sample, 0.9d0, bars)
!   call cvf_trace_free(trace)
module cvf
  use, intrinsic :: iso_c_binding
  implicit none
  private

  public :: cvf_model, cvf_result, cvf_context, cvf_conditions, cvf_trace, cvf_accepted_step
  public :: cvf_model_load, cvf_model_on_grid, cvf_model_free, cvf_model_set_threads, cvf_model_name
  public :: cvf_model_step, cvf_model_advance, cvf_model_nre, cvf_model_forecast, cvf_model_value_bars
  public :: cvf_trace_result, cvf_trace_steps, cvf_trace_nre, cvf_trace_error_bars, cvf_trace_message, cvf_trace_free
  public :: cvf_message, cvf_abi_version

  integer, parameter, public :: CVF_OK = 0, CVF_UNEXPECTED = 1, CVF_USAGE = 2, CVF_CONFIG = 3, CVF_DATA = 4, &
                                CVF_MODEL_ERROR = 5, CVF_NUMERICS = 6, CVF_INTERRUPTED = 8
  integer, parameter, public :: CVF_CHANNELS = 0, CVF_PARAMETERS = 1, CVF_STATICS = 2, CVF_CONTROLS = 3, &
                                CVF_CONTROL_FIELDS = 4

  ! What went with one state; see cvf_result in cvf.h.
  type, bind(C) :: cvf_result
    integer(c_int32_t) :: status = 0, reached = 0
    real(c_double) :: time = 0, step = 0
    integer(c_int64_t) :: evaluations = 0, accepted = 0, rejected = 0
    real(c_double) :: largest_error = 0
  end type

  type, bind(C) :: cvf_accepted_step
    real(c_double) :: time = 0, length = 0, error = 0
  end type

  ! What one state moves under, and the states of a call; see cvf.h. Fill them with c_loc of your arrays.
  type, bind(C) :: cvf_context
    type(c_ptr) :: parameters = c_null_ptr, statics = c_null_ptr, times = c_null_ptr
    integer(c_size_t) :: time_count = 0
    type(c_ptr) :: controls = c_null_ptr, control_fields = c_null_ptr
  end type
  type, bind(C) :: cvf_conditions
    type(c_ptr) :: contexts = c_null_ptr
    integer(c_size_t) :: context_count = 0
    type(c_ptr) :: start_times = c_null_ptr
  end type

  type, bind(C) :: description_t
    type(c_ptr) :: folder, field, normalizer, solver, boundary
    integer(c_int32_t) :: channels, parameters, statics, controls, control_fields, axes
    integer(c_int64_t) :: ny, nx, state_values
    real(c_double) :: dy, dx, frame_interval, shortest_step, longest_step
  end type

  type :: cvf_model
    type(c_ptr) :: handle = c_null_ptr
    integer :: channels = 0, ny = 0, nx = 0, state_values = 0
    integer :: parameters = 0, statics = 0, controls = 0, control_fields = 0
    integer :: members = 1  ! networks that were trained together; states are their mean
    real(c_double) :: frame_interval = 0, shortest_step = 0, longest_step = 0
    character(:), allocatable :: field, solver
  end type

  ! How a forecast of `batch` states to `times` times went.
  type :: cvf_trace
    type(c_ptr) :: handle = c_null_ptr
    integer :: batch = 0, times = 0
  end type

  interface cvf_model_step
    module procedure step_double, step_float
  end interface
  interface cvf_model_advance
    module procedure advance_double, advance_float
  end interface
  interface cvf_model_nre
    module procedure nre_double, nre_float
  end interface
  interface cvf_model_forecast
    module procedure forecast_double, forecast_float
  end interface
  interface cvf_model_value_bars
    module procedure value_bars_double, value_bars_float
  end interface

  include 'cvf_c.inc'

contains

  ! The sentence about what went wrong last, on this thread.
  function cvf_message() result(sentence)
    character(:), allocatable :: sentence
    sentence = text_of(c_message())
  end function

  ! settings, if any, choose and tune the solver: ['solver.name=euler', ...]
  subroutine cvf_model_load(model, folder, settings, status, message)
    type(cvf_model), intent(out) :: model
    character(*), intent(in) :: folder
    character(*), intent(in), optional :: settings(:)
    integer, intent(out), optional :: status
    character(:), allocatable, intent(out), optional :: message
    character(kind=c_char), allocatable, target :: words(:, :)
    type(c_ptr), allocatable :: pointers(:)
    integer(c_int) :: code
    integer :: i, k, count, longest

    count = 0
    longest = 0
    if (present(settings)) count = size(settings)
    if (present(settings)) longest = len(settings)
    allocate (words(longest + 1, count), pointers(count))
    do i = 1, count
      do k = 1, len_trim(settings(i))
        words(k, i) = settings(i) (k:k)
      end do
      words(len_trim(settings(i)) + 1, i) = c_null_char
      pointers(i) = c_loc(words(1, i))
    end do
    code = c_load(trim(folder)//c_null_char, pointers, int(count, c_size_t), model%handle)
    if (code == CVF_OK) call describe(model, code)
    if (present(message)) message = sentence_of(code)
    call conclude(code, sentence_of(code), status)
  end subroutine

  ! The same weights on another grid of the training spacing, where the field has no positions (conv); dy and dx are
  ! compared with that of training where they are given. To be freed as well.
  subroutine cvf_model_on_grid(model, ny, nx, on_grid, dy, dx, status, message)
    type(cvf_model), intent(in) :: model
    integer, intent(in) :: ny, nx
    type(cvf_model), intent(out) :: on_grid
    real(c_double), intent(in), optional :: dy, dx
    integer, intent(out), optional :: status
    character(:), allocatable, intent(out), optional :: message
    real(c_double) :: spacing(2)
    integer(c_int) :: code
    spacing = 0
    if (present(dy)) spacing(1) = dy
    if (present(dx)) spacing(2) = dx
    code = c_on_grid(model%handle, int(ny, c_int64_t), int(nx, c_int64_t), spacing(1), spacing(2), on_grid%handle)
    if (code == CVF_OK) call describe(on_grid, code)
    if (present(message)) message = sentence_of(code)
    call conclude(code, sentence_of(code), status)
  end subroutine

  subroutine cvf_model_free(model)
    type(cvf_model), intent(inout) :: model
    call c_free(model%handle)
    model%handle = c_null_ptr
  end subroutine

  subroutine cvf_model_set_threads(model, threads, status, message)
    type(cvf_model), intent(in) :: model
    integer, intent(in) :: threads
    integer, intent(out), optional :: status
    character(:), allocatable, intent(out), optional :: message
    integer(c_int) :: code
    code = c_set_threads(model%handle, int(threads, c_int))
    if (present(message)) message = sentence_of(code)
    call conclude(code, sentence_of(code), status)
  end subroutine

  ! Name `index` of the channels (CVF_CHANNELS) or another part; '' when there is none.
  function cvf_model_name(model, names, index) result(name)
    type(cvf_model), intent(in) :: model
    integer, intent(in) :: names, index
    character(:), allocatable :: name
    name = text_of(c_name(model%handle, int(names, c_int), int(index - 1, c_size_t)))
  end function

  ! One evaluation of each state, which nobody checks: states (values, batch), dt (batch).
  subroutine step_double(model, states, dt, conditions, results, status, message)
    type(cvf_model), intent(in) :: model
    real(c_double), intent(inout), contiguous, target :: states(:, :)
    real(c_double), intent(in), contiguous :: dt(:)
    type(cvf_conditions), intent(in), optional, target :: conditions
    type(cvf_result), intent(inout), optional, contiguous, target :: results(:)
    integer, intent(out), optional :: status
    character(:), allocatable, intent(out), optional :: message
    integer(c_int) :: code
    character(:), allocatable :: sentence
    call move(c_step, model, c_loc(states), shape(states), dt, conditions, results, code, sentence)
    if (present(message)) message = sentence
    call conclude(code, sentence, status)
  end subroutine
  subroutine step_float(model, states, dt, conditions, results, status, message)
    type(cvf_model), intent(in) :: model
    real(c_float), intent(inout), contiguous, target :: states(:, :)
    real(c_double), intent(in), contiguous :: dt(:)
    type(cvf_conditions), intent(in), optional, target :: conditions
    type(cvf_result), intent(inout), optional, contiguous, target :: results(:)
    integer, intent(out), optional :: status
    character(:), allocatable, intent(out), optional :: message
    integer(c_int) :: code
    character(:), allocatable :: sentence
    call move(c_step_f32, model, c_loc(states), shape(states), dt, conditions, results, code, sentence)
    if (present(message)) message = sentence
    call conclude(code, sentence, status)
  end subroutine

  ! In as many steps as the solver finds right, each state on its own.
  subroutine advance_double(model, states, dt, conditions, results, status, message)
    type(cvf_model), intent(in) :: model
    real(c_double), intent(inout), contiguous, target :: states(:, :)
    real(c_double), intent(in), contiguous :: dt(:)
    type(cvf_conditions), intent(in), optional, target :: conditions
    type(cvf_result), intent(inout), optional, contiguous, target :: results(:)
    integer, intent(out), optional :: status
    character(:), allocatable, intent(out), optional :: message
    integer(c_int) :: code
    character(:), allocatable :: sentence
    call move(c_advance, model, c_loc(states), shape(states), dt, conditions, results, code, sentence)
    if (present(message)) message = sentence
    call conclude(code, sentence, status)
  end subroutine
  subroutine advance_float(model, states, dt, conditions, results, status, message)
    type(cvf_model), intent(in) :: model
    real(c_float), intent(inout), contiguous, target :: states(:, :)
    real(c_double), intent(in), contiguous :: dt(:)
    type(cvf_conditions), intent(in), optional, target :: conditions
    type(cvf_result), intent(inout), optional, contiguous, target :: results(:)
    integer, intent(out), optional :: status
    character(:), allocatable, intent(out), optional :: message
    integer(c_int) :: code
    character(:), allocatable :: sentence
    call move(c_advance_f32, model, c_loc(states), shape(states), dt, conditions, results, code, sentence)
    if (present(message)) message = sentence
    call conclude(code, sentence, status)
  end subroutine

  ! The normalised rupture error that a step of dt would have; nothing moves. nre (batch)
  subroutine nre_double(model, states, dt, nre, conditions, status, message)
    type(cvf_model), intent(in) :: model
    real(c_double), intent(in), contiguous, target :: states(:, :)
    real(c_double), intent(in), contiguous :: dt(:)
    real(c_double), intent(inout), contiguous :: nre(:)
    type(cvf_conditions), intent(in), optional, target :: conditions
    integer, intent(out), optional :: status
    character(:), allocatable, intent(out), optional :: message
    integer(c_int) :: code
    character(:), allocatable :: sentence
    call measure(c_nre, model, c_loc(states), shape(states), dt, nre, conditions, code, sentence)
    if (present(message)) message = sentence
    call conclude(code, sentence, status)
  end subroutine
  subroutine nre_float(model, states, dt, nre, conditions, status, message)
    type(cvf_model), intent(in) :: model
    real(c_float), intent(in), contiguous, target :: states(:, :)
    real(c_double), intent(in), contiguous :: dt(:)
    real(c_double), intent(inout), contiguous :: nre(:)
    type(cvf_conditions), intent(in), optional, target :: conditions
    integer, intent(out), optional :: status
    character(:), allocatable, intent(out), optional :: message
    integer(c_int) :: code
    character(:), allocatable :: sentence
    call measure(c_nre_f32, model, c_loc(states), shape(states), dt, nre, conditions, code, sentence)
    if (present(message)) message = sentence
    call conclude(code, sentence, status)
  end subroutine

  include 'cvf_trace.inc'
  include 'cvf_inside.inc'

end module
