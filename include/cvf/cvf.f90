! The C interface of libcvf (cvf.h) for Fortran. Compile this file with your own program: modules of one compiler
! are not read by another.
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
! was; the others did.
module cvf
  use, intrinsic :: iso_c_binding
  implicit none
  private

  public :: cvf_model, cvf_result, cvf_context, cvf_conditions
  public :: cvf_model_load, cvf_model_free, cvf_model_set_threads, cvf_model_name
  public :: cvf_model_step, cvf_model_advance, cvf_model_nre, cvf_model_forecast
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
    real(c_double) :: frame_interval = 0, shortest_step = 0, longest_step = 0
    character(:), allocatable :: field, solver
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

  interface
    integer(c_int) function cvf_abi_version() bind(C)
      import
    end function
    type(c_ptr) function c_message() bind(C, name='cvf_message')
      import
    end function
    integer(c_int) function c_load(folder, settings, count, model) bind(C, name='cvf_model_load')
      import
      character(kind=c_char), intent(in) :: folder(*)
      type(c_ptr), intent(in) :: settings(*)
      integer(c_size_t), value :: count
      type(c_ptr), intent(out) :: model
    end function
    subroutine c_free(model) bind(C, name='cvf_model_free')
      import
      type(c_ptr), value :: model
    end subroutine
    integer(c_int) function c_set_threads(model, threads) bind(C, name='cvf_model_set_threads')
      import
      type(c_ptr), value :: model
      integer(c_int), value :: threads
    end function
    integer(c_int) function c_describe(model, description) bind(C, name='cvf_model_describe')
      import
      type(c_ptr), value :: model
      type(description_t), intent(out) :: description
    end function
    type(c_ptr) function c_name(model, names, index) bind(C, name='cvf_model_name')
      import
      type(c_ptr), value :: model
      integer(c_int), value :: names
      integer(c_size_t), value :: index
    end function
    integer(c_int) function c_step(model, batch, states, dt, conditions, results) bind(C, name='cvf_step')
      import
      type(c_ptr), value :: model, states, conditions, results
      integer(c_size_t), value :: batch
      real(c_double), intent(in) :: dt(*)
    end function
    integer(c_int) function c_step_f32(model, batch, states, dt, conditions, results) bind(C, name='cvf_step_f32')
      import
      type(c_ptr), value :: model, states, conditions, results
      integer(c_size_t), value :: batch
      real(c_double), intent(in) :: dt(*)
    end function
    integer(c_int) function c_advance(model, batch, states, dt, conditions, results) bind(C, name='cvf_advance')
      import
      type(c_ptr), value :: model, states, conditions, results
      integer(c_size_t), value :: batch
      real(c_double), intent(in) :: dt(*)
    end function
    integer(c_int) function c_advance_f32(model, batch, states, dt, conditions, results) &
      bind(C, name='cvf_advance_f32')
      import
      type(c_ptr), value :: model, states, conditions, results
      integer(c_size_t), value :: batch
      real(c_double), intent(in) :: dt(*)
    end function
    integer(c_int) function c_nre(model, batch, states, dt, conditions, nre) bind(C, name='cvf_nre')
      import
      type(c_ptr), value :: model, states, conditions
      integer(c_size_t), value :: batch
      real(c_double), intent(in) :: dt(*)
      real(c_double), intent(out) :: nre(*)
    end function
    integer(c_int) function c_nre_f32(model, batch, states, dt, conditions, nre) bind(C, name='cvf_nre_f32')
      import
      type(c_ptr), value :: model, states, conditions
      integer(c_size_t), value :: batch
      real(c_double), intent(in) :: dt(*)
      real(c_double), intent(out) :: nre(*)
    end function
    integer(c_int) function c_forecast(model, batch, states, times, lists, count, conditions, forecast, trace) &
      bind(C, name='cvf_forecast')
      import
      type(c_ptr), value :: model, states, conditions, forecast, trace
      integer(c_size_t), value :: batch, lists, count
      real(c_double), intent(in) :: times(*)
    end function
    integer(c_int) function c_forecast_f32(model, batch, states, times, lists, count, conditions, forecast, trace) &
      bind(C, name='cvf_forecast_f32')
      import
      type(c_ptr), value :: model, states, conditions, forecast, trace
      integer(c_size_t), value :: batch, lists, count
      real(c_double), intent(in) :: times(*)
    end function
    integer(c_size_t) function c_strlen(text) bind(C, name='strlen')
      import
      type(c_ptr), value :: text
    end function
  end interface

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
    type(description_t) :: d
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
    if (code == CVF_OK) code = c_describe(model%handle, d)
    if (code == CVF_OK) then
      model%channels = d%channels
      model%ny = int(d%ny)
      model%nx = int(d%nx)
      model%state_values = int(d%state_values)
      model%parameters = d%parameters
      model%statics = d%statics
      model%controls = d%controls
      model%control_fields = d%control_fields
      model%frame_interval = d%frame_interval
      model%shortest_step = d%shortest_step
      model%longest_step = d%longest_step
      model%field = text_of(d%field)
      model%solver = text_of(d%solver)
    end if
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

  ! Name `index`, from 1, of the channels (CVF_CHANNELS) or another part; '' when there is none.
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
    code = CVF_USAGE
    sentence = misfit(model, shape(states), size(dt), room(results))
    if (sentence == '') then
      code = c_step(model%handle, size(dt, kind=c_size_t), c_loc(states), dt, &
             under(conditions), into(results))
      sentence = sentence_of(code)
    end if
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
    code = CVF_USAGE
    sentence = misfit(model, shape(states), size(dt), room(results))
    if (sentence == '') then
      code = c_step_f32(model%handle, size(dt, kind=c_size_t), c_loc(states), dt, &
             under(conditions), into(results))
      sentence = sentence_of(code)
    end if
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
    code = CVF_USAGE
    sentence = misfit(model, shape(states), size(dt), room(results))
    if (sentence == '') then
      code = c_advance(model%handle, size(dt, kind=c_size_t), c_loc(states), dt, &
             under(conditions), into(results))
      sentence = sentence_of(code)
    end if
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
    code = CVF_USAGE
    sentence = misfit(model, shape(states), size(dt), room(results))
    if (sentence == '') then
      code = c_advance_f32(model%handle, size(dt, kind=c_size_t), c_loc(states), dt, &
             under(conditions), into(results))
      sentence = sentence_of(code)
    end if
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
    code = CVF_USAGE
    sentence = misfit(model, shape(states), min(size(dt), size(nre)), huge(1))
    if (sentence == '') then
      code = c_nre(model%handle, size(dt, kind=c_size_t), c_loc(states), dt, &
             under(conditions), nre)
      sentence = sentence_of(code)
    end if
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
    code = CVF_USAGE
    sentence = misfit(model, shape(states), min(size(dt), size(nre)), huge(1))
    if (sentence == '') then
      code = c_nre_f32(model%handle, size(dt, kind=c_size_t), c_loc(states), dt, &
             under(conditions), nre)
      sentence = sentence_of(code)
    end if
    if (present(message)) message = sentence
    call conclude(code, sentence, status)
  end subroutine

  ! All states through the same times in one solve: forecast (values, times, batch), NaN where not reached.
  subroutine forecast_double(model, states, times, forecast, conditions, status, message)
    type(cvf_model), intent(in) :: model
    real(c_double), intent(in), contiguous, target :: states(:, :)
    real(c_double), intent(in), contiguous :: times(:)
    real(c_double), intent(inout), contiguous, target :: forecast(:, :, :)
    type(cvf_conditions), intent(in), optional, target :: conditions
    integer, intent(out), optional :: status
    character(:), allocatable, intent(out), optional :: message
    integer(c_int) :: code
    character(:), allocatable :: sentence
    code = CVF_USAGE
    sentence = forecast_misfit(model, shape(states), shape(forecast), size(times))
    if (sentence == '') then
      code = c_forecast(model%handle, size(states, 2, kind=c_size_t), c_loc(states), times, &
             1_c_size_t, size(times, kind=c_size_t), &
             under(conditions), c_loc(forecast), c_null_ptr)
      sentence = sentence_of(code)
    end if
    if (present(message)) message = sentence
    call conclude(code, sentence, status)
  end subroutine
  subroutine forecast_float(model, states, times, forecast, conditions, status, message)
    type(cvf_model), intent(in) :: model
    real(c_float), intent(in), contiguous, target :: states(:, :)
    real(c_double), intent(in), contiguous :: times(:)
    real(c_float), intent(inout), contiguous, target :: forecast(:, :, :)
    type(cvf_conditions), intent(in), optional, target :: conditions
    integer, intent(out), optional :: status
    character(:), allocatable, intent(out), optional :: message
    integer(c_int) :: code
    character(:), allocatable :: sentence
    code = CVF_USAGE
    sentence = forecast_misfit(model, shape(states), shape(forecast), size(times))
    if (sentence == '') then
      code = c_forecast_f32(model%handle, size(states, 2, kind=c_size_t), c_loc(states), times, &
             1_c_size_t, size(times, kind=c_size_t), &
             under(conditions), c_loc(forecast), c_null_ptr)
      sentence = sentence_of(code)
    end if
    if (present(message)) message = sentence
    call conclude(code, sentence, status)
  end subroutine

  ! ---- inside ----------------------------------------------------------------------------------------------

  function text_of(text) result(out)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: out
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    out = ''
    if (.not. c_associated(text)) return
    call c_f_pointer(text, letters, [c_strlen(text)])
    out = repeat(' ', size(letters))
    do i = 1, size(letters)
      out(i:i) = letters(i)
    end do
  end function

  type(c_ptr) function under(conditions)
    type(cvf_conditions), intent(in), optional, target :: conditions
    under = c_null_ptr
    if (present(conditions)) under = c_loc(conditions)
  end function

  type(c_ptr) function into(results)
    type(cvf_result), intent(inout), optional, contiguous, target :: results(:)
    into = c_null_ptr
    if (present(results)) into = c_loc(results)
  end function

  integer function room(results)
    type(cvf_result), intent(in), optional :: results(:)
    room = huge(1)
    if (present(results)) room = size(results)
  end function

  function sentence_of(code) result(sentence)
    integer(c_int), intent(in) :: code
    character(:), allocatable :: sentence
    sentence = ''
    if (code /= CVF_OK) sentence = cvf_message()
  end function

  subroutine conclude(code, sentence, status)
    integer(c_int), intent(in) :: code
    character(*), intent(in) :: sentence
    integer, intent(out), optional :: status
    if (present(status)) then
      status = code
    else if (code /= CVF_OK) then
      error stop sentence
    end if
  end subroutine

  ! What does not fit the model, or ''; `results` is how many there is room for.
  function misfit(model, sides, batch, results) result(sentence)
    type(cvf_model), intent(in) :: model
    integer, intent(in) :: sides(2), batch, results
    character(:), allocatable :: sentence
    character(160) :: line
    sentence = ''
    if (sides(1) /= model%state_values .or. sides(2) /= batch) then
      write (line, '(4(a,i0),a)') 'states of (', sides(1), ', ', sides(2), ') and ', batch, &
        ' steps: the model takes (', model%state_values, ', batch) and one step for each'
      sentence = trim(line)
    else if (results < batch) then
      write (line, '(2(a,i0),a)') 'results of ', results, ' for ', batch, ' states'
      sentence = trim(line)
    end if
  end function

  function forecast_misfit(model, sides, wanted, times) result(sentence)
    type(cvf_model), intent(in) :: model
    integer, intent(in) :: sides(2), wanted(3), times
    character(:), allocatable :: sentence
    sentence = misfit(model, sides, sides(2), huge(1))
    if (sentence /= '') return
    if (wanted(1) /= model%state_values .or. wanted(2) /= times .or. wanted(3) /= sides(2)) &
      sentence = 'a forecast must be (state_values, times, batch)'
  end function

end module
