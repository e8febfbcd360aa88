package io.lockstarter.interceptor;

import java.util.List;
import java.util.Objects;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;

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
		if (specs.isEmpty()) {
			return invocation.proceed();
		}
		CallStyle style = this.styles.of(specs.get(0).subject());
		LockCall.Proceeding method = (style.runsLater() && invocation instanceof ProxyMethodInvocation proxied)
				? new RepeatableInvocation(proxied) : (arguments) -> invocation.proceed();
		for (int i = specs.size() - 1; i > 0; i--) {
			LockSpec inner = specs.get(i);
			LockCall.Proceeding next = method;
			method = (arguments) -> style.run(inner, new LockCall(invocation, target, arguments, next));
		}
		return style.run(specs.get(0), new LockCall(invocation, target, invocation.getArguments(), method));
	}

}
