package io.lockstarter;

/**
 * A lease was lost, told as an application event. It is published after the
 * {@link LockListener listeners} were told, on their thread; event listeners should be
 * short.
 *
 * @param lease the lease
 * @param cause why it was lost
 */
public record LockLostEvent(Lease lease, LossCause cause) {

}
