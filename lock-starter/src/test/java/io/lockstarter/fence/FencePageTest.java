// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.fence;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page shows the tables that are made.
 */
class FencePageTest {

	@Test
	void definitionsAreThoseOfThePage() throws IOException {
		assertThat(Pattern.compile("```sql\n(.*?)\n```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("../docs/fenced-transactions.md")))
			.results()
			.map((MatchResult block) -> block.group(1))).containsExactly(
					FenceDialect.POSTGRESQL.definition("lock_fence"), FenceDialect.MYSQL.definition("lock_fence"));
		assertThat(FenceDialect.H2.definition("lock_fence"))
			.isEqualTo(FenceDialect.POSTGRESQL.definition("lock_fence"));
	}

	@Test
	void pageIsShort() throws IOException {
		String page = Files.readString(Path.of("../docs/fenced-transactions.md")).replaceAll("(?s)```.*?```", "");
		assertThat(page.strip().split("\\s+", -1)).hasSizeLessThanOrEqualTo(500);
	}

}
