// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import io.lockstarter.annotation.OnLost;
import io.lockstarter.annotation.OnUnavailable;
import io.lockstarter.annotation.ReleasePhase;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import org.jspecify.annotations.Nullable;

/**
 * Specification of one lock of one method, as its annotation says.
 *
 * @param whenBusy what a call returns whose key stayed busy; {@code null} if the handler
 * of the application knows
 * @param fence what refuses late transactions; {@code null} if nothing does
 */
record LockSpec(AnnotatedMethod subject, LeaseSource source, @Nullable BusyPolicy whenBusy, OnUnavailable onUnavailable,
		OnLost onLost, ReleasePhase releasePhase, @Nullable TransactionFence fence) {

}
