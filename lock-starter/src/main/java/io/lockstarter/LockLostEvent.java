package io.lockstarter;

/**
 * Application event published when a lease is lost, after the {@link LockListener
 * listeners} were called and on their thread. Event listeners should be short.
 *
 * @param lease the lease
 * @param cause why it was lost
 * @since 0.1
 */
public record LockLostEvent(Lease lease, LossCause cause) {

}
