// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.time.Duration;
import java.util.Set;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;

/**
 * Calls of the JDK whose outcome depends on more than the arguments: on a clock, on
 * chance, or on which thread comes first.
 */
final class Undetermined extends DescribedPredicate<JavaAccess<?>> {

	private static final Set<String> CLOCKS = Set.of("nanoTime", "currentTimeMillis");

	private static final Set<String> OF_THREADS = Set.of("<init>", "start", "sleep", "ofVirtual", "ofPlatform",
			"startVirtualThread");

	private static final Set<String> OF_FUTURES = Set.of("orTimeout", "completeOnTimeout", "delayedExecutor");

	Undetermined() {
		super("depends on a clock, on chance or on a thread");
	}

	/**
	 * Return what is undetermined for its threads, or waits for a time.
	 */
	static DescribedPredicate<JavaAccess<?>> threads() {
		return DescribedPredicate.describe("has a thread, or waits for a time",
				(access) -> access.getTarget() instanceof CodeUnitAccessTarget target
						&& (makesThreads(target) || waitsForATime(target)));
	}

	@Override
	public boolean test(JavaAccess<?> access) {
		if (!(access.getTarget() instanceof CodeUnitAccessTarget target)) {
			return false;
		}
		return tellsTime(target) || isRandom(target) || makesThreads(target) || waitsForATime(target);
	}

	private static boolean tellsTime(CodeUnitAccessTarget target) {
		JavaClass owner = target.getOwner();
		return (owner.isEquivalentTo(System.class) && CLOCKS.contains(target.getName()))
				|| (owner.getPackageName().equals("java.time")
						&& (target.getName().equals("now") || target.getName().startsWith("system")));
	}

	private static boolean isRandom(CodeUnitAccessTarget target) {
		JavaClass owner = target.getOwner();
		boolean made = target.getName().equals("<init>") || target.getName().equals("current");
		return (owner.isAssignableTo(RandomGenerator.class) && made)
				|| (owner.isEquivalentTo(Math.class) && target.getName().equals("random"))
				|| (owner.isEquivalentTo(UUID.class) && target.getName().equals("randomUUID"))
				|| (owner.isEquivalentTo(System.class) && target.getName().equals("identityHashCode"));
	}

	private static boolean makesThreads(CodeUnitAccessTarget target) {
		JavaClass owner = target.getOwner();
		boolean ofJdk = owner.getPackageName().startsWith("java.");
		return (owner.isAssignableTo(Thread.class) && OF_THREADS.contains(target.getName()))
				|| owner.isEquivalentTo(Executors.class)
				|| (ofJdk && owner.isAssignableTo(Executor.class) && target.getName().equals("<init>"))
				|| (owner.isEquivalentTo(ForkJoinPool.class) && !target.getName().equals("managedBlock"))
				|| owner.isEquivalentTo(Timer.class)
				|| (owner.isAssignableTo(CompletionStage.class) && (OF_FUTURES.contains(target.getName())
						|| (target.getName().endsWith("Async") && ofJdk && !takes(target, Executor.class))));
	}

	private static boolean waitsForATime(CodeUnitAccessTarget target) {
		JavaClass owner = target.getOwner();
		return (owner.getPackageName().startsWith("java.util.concurrent") && !owner.isEquivalentTo(TimeUnit.class)
				&& takes(target, TimeUnit.class))
				|| (owner.getPackageName().startsWith("reactor.") && takes(target, Duration.class)
						&& !target.getName().equals("block"))
				|| (owner.isEquivalentTo(LockSupport.class) && !target.getName().equals("unpark"))
				|| (owner.isEquivalentTo(Object.class) && target.getName().equals("wait"));
	}

	private static boolean takes(CodeUnitAccessTarget target, Class<?> parameter) {
		return target.getRawParameterTypes().stream().anyMatch((type) -> type.isEquivalentTo(parameter));
	}

}
