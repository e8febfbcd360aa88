// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.lockstarter.mutation.Modules;
import io.lockstarter.simulation.redis.Reply;
import io.lockstarter.simulation.redis.SmallClient;
import io.lockstarter.simulation.redis.SmallRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that branches are listed that no run enters, and no others.
 */
@Tag("computes")
@ExtendWith(Unlogged.class)
class CoverageTest {

	private final Set<String> branches = new LinkedHashSet<>();

	private String run(String script, String argument) {
		try (SmallClient client = new SmallRedis("any", 1, () -> 0, new Random(1)).connect((push) -> {
		})) {
			Reply reply = client.execute("EVAL", script, "0", argument);
			return (reply instanceof Reply.Bulk bulk) ? bulk.text() : reply.toString();
		}
	}

	@Test
	void scriptsNoteWhatTheyEnterAndDoTheSame() {
		String text = """
				local given = ARGV[1]
				local function size(text)
					if text == 'b' or text == 'c' then
						return 'two'
					end
					return text == 'a' and 'one' or nil
				end
				local function never()
					while true do
						size()
					end
				end
				if given == 'x' then never() elseif given == 'y' then never() else given = size(given) end
				return given
				""";
		String noting = LuaBranches.noting("any", text, this.branches);
		assertThat(this.branches).containsExactly("any size:2 called", "any size:3 without then", "any size:3 or",
				"any size:3 then", "any size:6 and", "any size:6 or", "any never:8 called", "any never:9 loop",
				"any top:13 then", "any top:13 then 2", "any top:13 else");
		assertThat(noting.lines().count()).isEqualTo(text.lines().count());
		assertThat(run(noting, "a")).isEqualTo("one");
		assertThat(entered()).containsExactlyInAnyOrder("any size:2 called", "any size:3 without then", "any size:3 or",
				"any size:6 and", "any top:13 else");
		assertThat(run(noting, "b")).isEqualTo("two");
		assertThat(entered()).contains("any size:3 then").doesNotContain("any size:6 or", "any never:8 called");
	}

	private Set<String> entered() {
		Set<String> entered = new LinkedHashSet<>(new LuaBranches().get());
		entered.retainAll(this.branches);
		return entered;
	}

	@Test
	void listsWhatARunDoesNotEnter() throws Exception {
		AtomicInteger left = new AtomicInteger(4);
		List<String> report = new Coverage().report(1, () -> left.getAndDecrement() > 0);
		assertThat(report).contains("Seeds 1 to 4:")
			.noneMatch((line) -> line.startsWith("seed "))
			.anyMatch((line) -> line.matches(" {2}engine\\.Inspection\\.checkStore:\\d+ never called"))
			.anyMatch((line) -> line.matches(" {2}engine\\.Ownership\\.\\w+:\\d+ 1 of 2 branches"))
			.anyMatch((line) -> line.matches(" {2}lock\\.lua give_back:\\d+ called"))
			.noneMatch((line) -> line.contains("engine.Ownership.takeToken"))
			.noneMatch((line) -> line.matches(" {2}lock\\.lua clock:\\d+ called"))
			.noneMatch((line) -> line.matches(" {2}quorum\\.lua raise:\\d+ called"))
			.anyMatch((line) -> line.matches("\\| engine \\| [1-9]\\d+ of \\d{4} \\| [1-9]\\d+ of \\d+ \\|"))
			.anyMatch((line) -> line.matches("\\| scripts \\| [1-9]\\d+ of \\d{3} \\| \\|"));
	}

	@Test
	void documentNamesClassesAndTestsOfToday() throws Exception {
		String document = Files.readString(Path.of("../docs/internals/testing.md"));
		String part = document.substring(document.indexOf("### What no run enters"),
				document.indexOf("### Two traces"));
		List<String> named = Pattern.compile("`([A-Z]\\w+)`")
			.matcher(part)
			.results()
			.map((each) -> each.group(1))
			.toList();
		assertThat(named).hasSizeGreaterThan(20)
			.allSatisfy((name) -> assertThat(Modules.namesOfSources()).as(name).contains(name + ".java"));
	}

}
