! Steps a batch of states with a trained model: step MODEL. Prints what came of it, value by value.
program step
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use cvf
  implicit none
  integer, parameter :: batch = 3
  real(c_double), parameter :: dt(batch) = [0.1d0, 0.2d0, 0.3d0], longer(batch) = [0.9d0, 0.8d0, 0.7d0], &
                               times(2) = [0.25d0, 0.5d0]
  type(cvf_model) :: model
  type(cvf_result) :: results(batch)
  real(c_double), allocatable :: states(:, :), forecast(:, :, :)
  real(c_double) :: nre(batch)
  character(:), allocatable :: sentence
  character(1000) :: folder
  integer :: code, i, k

  call get_command_argument(1, folder)
  call cvf_model_load(model, trim(folder), status=code, message=sentence)
  if (code /= CVF_OK) then
    write (error_unit, '(2a)') 'step: ', sentence
    stop 5
  end if
  allocate (states(model%state_values, batch), forecast(model%state_values, size(times), batch))
  do k = 1, batch
    do i = 1, model%state_values
      states(i, k) = sin(0.37d0*((k - 1)*model%state_values + i))
    end do
  end do

  call cvf_model_nre(model, states, dt, nre)
  call show('nre', nre)
  call cvf_model_step(model, states, dt)
  call show('step', [states])
  call cvf_model_advance(model, states, longer, results=results)
  call show('advance', [states])
  print '(a,i0)', ('evaluations ', results(k)%evaluations, k=1, batch)
  call cvf_model_forecast(model, states, times, forecast)
  call show('forecast', [forecast])
  call cvf_model_free(model)

contains

  subroutine show(word, values)
    character(*), intent(in) :: word
    real(c_double), intent(in) :: values(:)
    integer :: n
    do n = 1, size(values)
      print '(a,1x,es18.10)', word, values(n)
    end do
  end subroutine

end program
