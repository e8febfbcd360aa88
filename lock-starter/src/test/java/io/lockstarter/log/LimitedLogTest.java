// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.log;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

class LimitedLogTest {

	private static final Duration WINDOW = LimitedLog.WINDOW;

	private final ManualLog manual = new ManualLog();

	private final LimitedLog log = this.manual.log("more went wrong");

	@Test
	void firstMessageIsWrittenAtOnceWithItsCause() {
		this.log.write("a", () -> "a went wrong", new IllegalStateException("why"));
		assertThat(this.manual.lines()).containsExactly("a went wrong java.lang.IllegalStateException: why");
	}

	@Test
	void thoseThatFollowAreCountedAndNamedAtTheEndOfTheTime() {
		write("a", "b", "c");
		assertThat(this.manual.lines()).containsExactly("a went wrong");
		this.manual.tick(WINDOW);
		assertThat(this.manual.lines()).containsExactly("a went wrong", "2 more went wrong within 10 s: 'b', 'c'");
	}

	@Test
	void tenThousandAtOnceAreTwoLinesThatNameTheFirst() {
		for (int i = 0; i < 10_000; i++) {
			write("k" + i);
		}
		this.manual.tick(WINDOW.multipliedBy(3));
		assertThat(this.manual.lines()).containsExactly("k0 went wrong",
				"9999 more went wrong within 10 s: 'k1', 'k2', 'k3', 'k4', 'k5' and others");
	}

	@Test
	void subjectIsNamedOnce() {
		write("a", "b", "b", "b");
		this.manual.tick(WINDOW);
		assertThat(this.manual.lines()).last().isEqualTo("3 more went wrong within 10 s: 'b'");
	}

	@Test
	void whatGoesOnIsOneLineInEachTime() {
		for (int second = 0; second < 60; second++) {
			write("s" + second);
			this.manual.tick(Duration.ofSeconds(1));
		}
		assertThat(this.manual.lines()).hasSize(7);
		assertThat(this.manual.lines().subList(1, 7)).allMatch((line) -> line.contains(" more went wrong within 10 s"));
	}

	@Test
	void messageAfterAQuietTimeIsWrittenAtOnce() {
		write("a", "b");
		this.manual.tick(WINDOW);
		this.manual.tick(WINDOW);
		write("c");
		assertThat(this.manual.lines()).last().isEqualTo("c went wrong");
	}

	@Test
	void singleMessagesAreAllWritten() {
		for (String subject : List.of("a", "b", "c")) {
			write(subject);
			this.manual.tick(WINDOW);
		}
		assertThat(this.manual.lines()).containsExactly("a went wrong", "b went wrong", "c went wrong");
	}

	@Test
	void messageThatIsNotWrittenIsNotMade() {
		write("a");
		this.log.write("b", () -> fail("made"));
	}

	@Test
	void flushWritesWhatIsCountedOnce() {
		write("a", "b");
		this.log.flush();
		this.log.flush();
		this.manual.tick(WINDOW);
		assertThat(this.manual.lines()).containsExactly("a went wrong", "1 more went wrong within 10 s: 'b'");
	}

	private void write(String... subjects) {
		for (String subject : subjects) {
			this.log.write(subject, () -> subject + " went wrong");
		}
	}

}
