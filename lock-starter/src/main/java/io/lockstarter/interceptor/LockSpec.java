package io.lockstarter.interceptor;

import io.lockstarter.LockOptions;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.annotation.OnUnavailable;
import io.lockstarter.annotation.ReleasePhase;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import io.lockstarter.interceptor.key.LockKeys;

/**
 * Specification of one lock of one method, as its annotation says.
 *
 * @param subject the method
 * @param keys what to lock
 * @param options how to lock it
 * @param whenBusy what to do when the key stayed busy
 * @param onUnavailable what to do if the store rejects a command or does not answer
 * @param onLost what to do when the lease is lost
 * @param release when to release the lock
 */
record LockSpec(AnnotatedMethod subject, LockKeys keys, LockOptions options, BusyPolicy whenBusy,
		OnUnavailable onUnavailable, OnLost onLost, ReleasePhase release) {

}
