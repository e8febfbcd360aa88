// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.LockException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnBusy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * What answers in place of a method whose key stayed busy.
 */
class BusyCallTest {

	private final RecordingRegistry registry = new RecordingRegistry();

	private final LockNotAcquiredException busy = new LockNotAcquiredException("k", Duration.ZERO, List.of("other"));

	private final LockedContext context = LockedContext.withClassProxies(this.registry, Calls.class, Skips.class);

	private final Calls calls = this.context.bean(Calls.class);

	@BeforeEach
	void refuse() {
		this.registry.refusal = this.busy;
	}

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void fallbackGetsTheArgumentsAndTheFailureIfItAsksForIt() {
		assertThat(this.calls.withFailure(7)).isEqualTo("busy 7 k");
		assertThat(this.calls.withoutFailure(7)).isEqualTo("private 7");
		assertThat(this.calls.withAnyFailure(7)).isEqualTo("any 7 LockNotAcquiredException");
		assertThat(this.calls.toStatic(7)).isEqualTo("static 7");
		assertThat(this.calls.inherited(7)).isEqualTo("base 7");
	}

	@Test
	void overloadWithTheSameParametersIsTheFallback() {
		assertThat(this.calls.overloaded("a")).isEqualTo("string a");
	}

	@Test
	void typesOfParametersAndResultAreFollowedThroughTheClass() {
		assertThat(this.calls.find(List.of("a"))).containsExactly("a");
		assertThat(this.calls.same("a")).isEqualTo("a");
		assertThat(this.calls.wider(List.of("a"))).isEqualTo("1");
	}

	@Test
	void exceptionOfTheFallbackReachesTheCallerAsItIs() {
		assertThatIOException().isThrownBy(this.calls::failing).withMessage("fallback").withNoCause();
	}

	@Test
	void skippedCallReturnsNothingInTheFormOfItsType() {
		Skips skips = this.context.bean(Skips.class);
		skips.nothing();
		assertThat(skips.text()).isNull();
		assertThat(skips.optional()).isEmpty();
		assertThat(skips.optionalInt()).isEmpty();
		assertThat(skips.generic()).isEmpty();
		assertThat(skips.genericLater().join()).isEmpty();
		this.registry.refusal = null;
		assertThat(skips.runs()).isEqualTo(1);
	}

	@Test
	void lockThatIsFreeNeedsNoFallback() {
		this.registry.refusal = null;
		assertThat(this.calls.withFailure(7)).isEqualTo("locked");
		assertThat(this.context.bean(Skips.class).text()).isEqualTo("ran");
	}

	static class Base<T> {

		protected String base(long id) {
			return "base " + id;
		}

		protected List<T> generic(List<T> some) {
			return some;
		}

	}

	static class Calls extends Base<String> {

		@DistributedLock(key = "k", fallback = "busy")
		public String withFailure(long id) {
			return "locked";
		}

		String busy(long id) {
			throw new IllegalStateException("The one with the failure comes first");
		}

		String busy(long id, LockNotAcquiredException busy) {
			return "busy " + id + " " + busy.key();
		}

		@DistributedLock(key = "k", fallback = "hidden")
		public String withoutFailure(long id) {
			return "locked";
		}

		@SuppressWarnings("UnusedMethod")
		private String hidden(long id) {
			return "private " + id;
		}

		@DistributedLock(key = "k", fallback = "any")
		public String withAnyFailure(long id) {
			return "locked";
		}

		String any(long id, LockException failure) {
			return "any " + id + " " + failure.getClass().getSimpleName();
		}

		@DistributedLock(key = "k", fallback = "fixed")
		public Object toStatic(long id) {
			return "locked";
		}

		static String fixed(long id) {
			return "static " + id;
		}

		@DistributedLock(key = "k", fallback = "base")
		public String inherited(long id) {
			return "locked";
		}

		@DistributedLock(key = "k", fallback = "over")
		public String overloaded(String text) {
			return "locked";
		}

		String over(CharSequence text) {
			return "text " + text;
		}

		String over(String text) {
			return "string " + text;
		}

		@DistributedLock(key = "k", fallback = "generic")
		public List<String> find(List<String> some) {
			return List.of();
		}

		@DistributedLock(key = "k", fallback = "sameAgain")
		public <T> T same(T one) {
			throw new IllegalStateException();
		}

		<S> S sameAgain(S one) {
			return one;
		}

		@DistributedLock(key = "k", fallback = "anyList")
		public String wider(List<String> some) {
			return "locked";
		}

		String anyList(List<?> some) {
			return String.valueOf(some.size());
		}

		@DistributedLock(key = "k", fallback = "fails")
		public void failing() throws IOException {
		}

		void fails() throws IOException {
			throw new IOException("fallback");
		}

	}

	static class SkipsBase<T, F> {

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public T generic() {
			throw new IllegalStateException();
		}

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public F genericLater() {
			throw new IllegalStateException();
		}

	}

	static class Skips extends SkipsBase<Optional<String>, CompletableFuture<Optional<String>>> {

		private int runs;

		@DistributedLock("k")
		public int runs() {
			return ++this.runs;
		}

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public void nothing() {
			this.runs++;
		}

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public @Nullable String text() {
			return "ran";
		}

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public Optional<String> optional() {
			return Optional.of("ran");
		}

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public OptionalInt optionalInt() {
			return OptionalInt.of(1);
		}

	}

}
