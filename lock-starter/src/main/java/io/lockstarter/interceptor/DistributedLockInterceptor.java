package io.lockstarter.interceptor;

import java.util.Objects;
import java.util.function.Supplier;

import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockedAction;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs an annotated method under the lock of its key.
 */
final class DistributedLockInterceptor implements MethodInterceptor {

	private final Supplier<? extends LockRegistry> registry;

	private final LockSpecSource specs;

	DistributedLockInterceptor(Supplier<? extends LockRegistry> registry, LockSpecSource specs) {
		this.registry = SingletonSupplier.of(registry);
		this.specs = specs;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockSpec spec = specOf(invocation);
		String key = spec.key().evaluate(invocation.getArguments());
		Call call = new Call(invocation);
		try {
			return this.registry.get().<@Nullable Object, Throwable>call(key, spec.options(), call);
		}
		catch (LockInterruptedException ex) {
			// What the method itself threw passes unchanged.
			if (!call.entered && ex.getCause() instanceof InterruptedException interrupt
					&& ReflectionUtils.declaresException(invocation.getMethod(), InterruptedException.class)) {
				Thread.interrupted();
				throw interrupt;
			}
			throw ex;
		}
	}

	private LockSpec specOf(MethodInvocation invocation) {
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		return Objects.requireNonNull(this.specs.find(invocation.getMethod(), targetClass),
				() -> "No @DistributedLock on " + invocation.getMethod());
	}

	private static final class Call implements LockedAction<@Nullable Object, Throwable> {

		private final MethodInvocation invocation;

		private boolean entered;

		Call(MethodInvocation invocation) {
			this.invocation = invocation;
		}

		// NullAway knows that T may be null only in its JSpecify mode, which needs a
		// newer JDK.
		@Override
		@SuppressWarnings("NullAway")
		public @Nullable Object run() throws Throwable {
			this.entered = true;
			return this.invocation.proceed();
		}

	}

}
