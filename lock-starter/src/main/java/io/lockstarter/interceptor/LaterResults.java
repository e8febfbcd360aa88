package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;

import org.jspecify.annotations.Nullable;

/**
 * Refuses methods whose work goes on after they returned: the lock would be released
 * before it is done.
 */
final class LaterResults {

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private static final Set<Class<?>> TYPES = Set.of(Future.class, CompletionStage.class, Flow.Publisher.class,
			Callable.class, BaseStream.class);

	// By name, as none of them needs to be on the class path.
	private static final Set<String> TYPE_NAMES = Set.of("org.reactivestreams.Publisher",
			"io.reactivex.rxjava3.core.CompletableSource", "io.reactivex.rxjava3.core.MaybeSource",
			"io.reactivex.rxjava3.core.ObservableSource", "io.reactivex.rxjava3.core.SingleSource",
			"io.smallrye.mutiny.Uni", "kotlinx.coroutines.Job", "kotlinx.coroutines.flow.Flow",
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private LaterResults() {
	}

	static void refuse(LockedMethod subject) {
		Method method = subject.method();
		Class<?>[] parameters = method.getParameterTypes();
		if (parameters.length > 0 && parameters[parameters.length - 1].getName().equals(CONTINUATION)) {
			throw refusal(subject, "a suspend function goes on after its first suspension");
		}
		if (isLater(method.getReturnType())) {
			throw refusal(subject, "its result (%s) is complete only after it returned"
				.formatted(method.getReturnType().getSimpleName()));
		}
	}

	private static boolean isLater(@Nullable Class<?> type) {
		return type != null
				&& (TYPES.contains(type) || TYPE_NAMES.contains(type.getName()) || isLater(type.getSuperclass())
						|| Arrays.stream(type.getInterfaces()).anyMatch(LaterResults::isLater));
	}

	private static LockSetupException refusal(LockedMethod subject, String why) {
		return subject.invalid(why + ", but the lock would be released when it returns",
				"Acquire with LockRegistry.acquireAsync and close the lease when the work is done, "
						+ "or annotate a method that waits for its work");
	}

}
