! Forecasts a batch of states with a trained model, and prints how it went: forecast MODEL. Error bars need a model that
! was calibrated (cvf evaluate RUN --calibrate), the last lines one that takes other grids (conv).
program forecast_states
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use cvf
  implicit none
  integer, parameter :: batch = 2
  real(c_double), parameter :: times(3) = [0.3d0, 0.5d0, 1.1d0]
  type(cvf_model) :: model, larger
  type(cvf_trace) :: trace
  type(cvf_result) :: way
  type(cvf_accepted_step), allocatable :: steps(:)
  real(c_double), allocatable :: forecast(:, :, :), spread(:, :, :)
  real(c_double) :: bars(size(times))
  character(:), allocatable :: sentence
  character(1000) :: folder
  integer :: code, i, k, n

  call get_command_argument(1, folder)
  call cvf_model_load(model, trim(folder), status=code, message=sentence)
  if (code /= CVF_OK) then
    write (error_unit, '(2a)') 'forecast: ', sentence
    stop 5
  end if
  print '(a,i0)', 'members ', model%members
  allocate (forecast(model%state_values, size(times), batch))
  if (model%members > 1) then
    allocate (spread, mold=forecast)
    call cvf_model_forecast(model, states_of(model), times, forecast, spread=spread, trace=trace)
    call show('spread', [spread])
  else
    call cvf_model_forecast(model, states_of(model), times, forecast, trace=trace)
  end if
  call show('forecast', [forecast])

  do k = 1, batch
    call cvf_trace_result(trace, k, way)
    print '(a,i0)', 'evaluations ', way%evaluations, 'accepted ', way%accepted
    do i = 1, size(times)
      call cvf_trace_result(trace, k, way, target=i)
      call show('nre', [way%largest_error])
    end do
    call cvf_trace_steps(trace, k, steps)
    do n = 1, size(steps)
      call show('step', [steps(n)%time, steps(n)%length, steps(n)%error])
    end do
    call cvf_trace_error_bars(trace, k, 0.5d0, bars, status=code, message=sentence)
    if (code == CVF_OK) call show('bar', bars)
    if (code /= CVF_OK) write (error_unit, '(2a)') 'forecast: ', sentence
  end do
  call cvf_trace_result(trace, batch + 1, way, status=code)
  print '(a,i0)', 'code ', code
  call cvf_trace_free(trace)

  call cvf_model_on_grid(model, model%ny + 3, model%nx + 1, larger, status=code, message=sentence)
  if (code == CVF_OK) then
    forecast = reshape(states_of(larger), [larger%state_values, 1, batch])
    call cvf_model_forecast(larger, states_of(larger), times(:1), forecast)
    call show('larger', [forecast])
    call cvf_model_free(larger)
  else
    write (error_unit, '(2a)') 'forecast: ', sentence
  end if
  call cvf_model_free(model)

contains

  function states_of(any) result(states)
    type(cvf_model), intent(in) :: any
    real(c_double) :: states(any%state_values, batch)
    integer :: place
    states = reshape([(sin(0.37d0*place), place=1, size(states))], shape(states))
  end function

  subroutine show(word, values)
    character(*), intent(in) :: word
    real(c_double), intent(in) :: values(:)
    integer :: place
    do place = 1, size(values)
      print '(a,1x,es18.10)', word, values(place)
    end do
  end subroutine

end program
