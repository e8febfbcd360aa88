package io.lockstarter.engine;

import org.junit.jupiter.api.Test;

import io.lockstarter.engine.HoldHistory.Hold;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HoldHistory}, on planted violations.
 */
class HoldHistoryTest {

	private final HoldHistory history = new HoldHistory();

	@Test
	void holdsInSequenceWithGrowingTokensAreFine() {
		this.history.add(new Hold("k", "b:1", 20, 30, 3, 4));
		this.history.add(new Hold("k", "a:1", 10, 20, 1, 2));
		this.history.add(new Hold("other", "c:1", 15, 25, 1, 2));
		assertThat(this.history.violations()).isEmpty();
	}

	@Test
	void overlappingHoldsAreFound() {
		this.history.add(new Hold("k", "a:1", 10, 20, 1, 2));
		this.history.add(new Hold("k", "b:1", 19, 30, 3, 4));
		assertThat(this.history.violations()).singleElement().asString().contains("overlaps");
	}

	@Test
	void tokensThatDoNotGrowAreFound() {
		this.history.add(new Hold("k", "a:1", 10, 20, 1, 5));
		this.history.add(new Hold("k", "b:1", 20, 30, 5, 9));
		assertThat(this.history.violations()).singleElement().asString().contains("not larger");
	}

}
