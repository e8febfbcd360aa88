package io.lockstarter.proof;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The record itself: it notices violations that are planted.
 */
class HoldRecordTest {

	private final HoldRecord record = new HoldRecord();

	@Test
	void holdsOneAfterTheOtherAreFine() {
		this.record.add(20, 30, 2);
		this.record.add(10, 20, 1);
		assertThat(this.record.violations()).isEmpty();
	}

	@Test
	void overlapIsNoticed() {
		this.record.add(10, 21, 1);
		this.record.add(20, 30, 2);
		assertThat(this.record.violations()).hasSize(1);
	}

	@Test
	void tokenThatDoesNotGrowIsNoticed() {
		this.record.add(10, 20, 2);
		this.record.add(20, 30, 2);
		assertThat(this.record.violations()).hasSize(1);
	}

}
