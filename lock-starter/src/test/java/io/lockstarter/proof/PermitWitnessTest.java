// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The witness itself: it notices who holds too many.
 */
class PermitWitnessTest {

	@TempDir
	private Path directory;

	@Test
	void whoGivesBackBeforeAnotherBeginsHoldsAlone() throws IOException {
		PermitWitness witness = witness("H 10 a 1 100\nD a 1 20\n", "H 20 a 2 200\n");
		assertThat(witness.count()).isEqualTo(2);
		assertThat(witness.mostAtOnce()).isEqualTo(witness.mostAtOnce("a")).isOne();
	}

	@Test
	void whoIsKilledHoldsUpToItsDeadline() throws IOException {
		assertThat(witness("H 10 a 1 100\n", "H 100 a 2 200\n").mostAtOnce()).isOne();
		assertThat(witness("H 10 a 1 100\n", "H 99 a 2 200\n").mostAtOnce("a")).isEqualTo(2);
	}

	@Test
	void deadlineMoves() throws IOException {
		assertThat(witness("H 10 a 1 100\nH 50 a 1 150\n", "H 120 b 1 200\n").mostAtOnce()).isEqualTo(2);
	}

	@Test
	void differentSlotsCountTogether() throws IOException {
		PermitWitness witness = witness("H 10 a 1 100\nH 20 b 1 100\n", "H 30 c 1 100\nH 40 d 1 10");
		assertThat(witness.mostAtOnce()).isEqualTo(3);
		assertThat(witness.mostAtOnce("b")).isOne();
		assertThat(witness.isGrantedAfter("b", 19)).isTrue();
		assertThat(witness.isGrantedAfter("b", 20)).isFalse();
	}

	private PermitWitness witness(String one, String other) throws IOException {
		return new PermitWitness(List.of(Files.writeString(this.directory.resolve("one"), one),
				Files.writeString(this.directory.resolve("other"), other)));
	}

}
