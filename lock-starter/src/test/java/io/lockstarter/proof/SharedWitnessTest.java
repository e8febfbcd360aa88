// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.lockstarter.proof.SharedWitness.How;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The witness itself: it notices who is not alone, and whose token is too small.
 */
class SharedWitnessTest {

	@TempDir
	private Path directory;

	@Test
	void readersMayOverlap() throws IOException {
		SharedWitness witness = witness("H 1 10 READS 5 100\nD 1 30\n", "H 1 20 READS 5 120\n");
		assertThat(witness.count()).isEqualTo(2);
		assertThat(witness.breaches()).isEmpty();
		assertThat(witness.readsBesideAnotherJvm()).isOne();
		assertThat(witness("H 1 10 READS 5 100\nH 2 20 READS 5 100\n", "").readsBesideAnotherJvm()).isZero();
	}

	@Test
	void writerOverlapsNobody() throws IOException {
		assertThat(witness("H 1 10 READS 5 100\n", "H 1 99 WRITES 6 120\n").breaches()).hasSize(1);
		assertThat(witness("H 1 10 READS 5 100\n", "H 1 100 WRITES 6 120\n").breaches()).isEmpty();
		assertThat(witness("H 1 10 READS 5 100\nH 1 60 READS 5 150\n", "H 1 100 WRITES 6 120\n").breaches()).hasSize(1);
		assertThat(witness("H 1 10 WRITES 5 100\n", "H 1 50 READS 6 120\n").breaches()).hasSize(1);
		assertThat(witness("H 1 10 WRITES 5 100\nD 1 40\n", "H 1 50 READS 6 120\n").breaches()).isEmpty();
	}

	@Test
	void tokensGrow() throws IOException {
		assertThat(witness("H 1 10 READS 5 20\n", "H 1 30 WRITES 5 40\n").breaches()).hasSize(1);
		assertThat(witness("H 1 10 WRITES 5 20\n", "H 1 30 READS 5 40\n").breaches()).hasSize(1);
		assertThat(witness("H 1 10 READS 5 20\n", "H 1 30 READS 4 40\n").breaches()).isEmpty();
		assertThat(witness("H 1 10 WRITES 5 20\nH 2 30 READS_ON 5 40\n", "").breaches()).isEmpty();
		assertThat(witness("H 1 10 WRITES 5 20\nH 2 30 READS_ON 4 40\n", "").breaches()).hasSize(1);
	}

	@Test
	void whoComesLaterIsKnown() throws IOException {
		SharedWitness witness = witness("H 1 10 READS 5 20\n", "H 1 30 WRITES 6 40\nH 2 50 READS 7");
		assertThat(witness.count()).isEqualTo(2);
		assertThat(witness.isHeldAfter(How.WRITES, 29)).isTrue();
		assertThat(witness.isHeldAfter(How.WRITES, 30)).isFalse();
		assertThat(witness.isHeldAfter(How.READS, 10)).isFalse();
	}

	private SharedWitness witness(String one, String other) throws IOException {
		return new SharedWitness(List.of(Files.writeString(this.directory.resolve("one"), one),
				Files.writeString(this.directory.resolve("other"), other)));
	}

}
