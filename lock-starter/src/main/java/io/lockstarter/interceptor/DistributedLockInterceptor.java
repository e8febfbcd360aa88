package io.lockstarter.interceptor;

import java.util.List;
import java.util.Objects;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Runs an annotated method under the locks of its annotations, the first one outermost.
 */
final class DistributedLockInterceptor implements MethodInterceptor {

	private final LockSpecSource specs;

	private final CallStyles styles;

	DistributedLockInterceptor(LockSpecSource specs, CallStyles styles) {
		this.specs = specs;
		this.styles = styles;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = Objects.requireNonNull(invocation.getThis(), "An annotated method needs a target object");
		List<LockSpec> specs = this.specs.find(invocation.getMethod(), target.getClass());
		return invoke(invocation, target, specs, 0);
	}

	private @Nullable Object invoke(MethodInvocation invocation, Object target, List<LockSpec> specs, int index)
			throws Throwable {
		if (index == specs.size()) {
			return invocation.proceed();
		}
		LockSpec spec = specs.get(index);
		LockCall call = new LockCall(invocation, target, () -> invoke(invocation, target, specs, index + 1));
		return this.styles.of(spec.subject()).run(spec, call);
	}

}
