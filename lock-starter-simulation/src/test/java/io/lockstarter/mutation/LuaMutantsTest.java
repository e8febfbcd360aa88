// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import party.iroiro.luajava.LuaException;
import party.iroiro.luajava.lua51.Lua51;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests what operators change in scripts, by the Lua of the simulation.
 */
class LuaMutantsTest {

	private static final List<GeneratedMutant> ALL = LuaMutants.all();

	private final Lua51 lua = new Lua51();

	@AfterEach
	void close() {
		this.lua.close();
	}

	private static String text(GeneratedMutant mutant) {
		return new String(mutant.content().get(), StandardCharsets.UTF_8);
	}

	@ParameterizedTest
	@EnumSource
	void everyOperatorAppliesAndWhatItMakesIsAScript(LuaOperator operator) {
		List<GeneratedMutant> made = ALL.stream()
			.filter((mutant) -> mutant.id().contains(" " + operator + " "))
			.toList();
		assertThat(made).isNotEmpty().allSatisfy((mutant) -> {
			this.lua.load(text(mutant));
			this.lua.setTop(0);
		});
		assertThat(made).extracting(LuaMutantsTest::text).doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					NEGATE_CONDITION | if a and b then c() end        | if not (a and b) then c() end
					NEGATE_CONDITION | while f(g, { 1 }) do c() end   | while not (f(g, { 1 })) do c() end
					BOUNDARY         | x = a <= b                     | x = a < b
					EQUALITY         | x = a ~= b                     | x = a == b
					AND_OR           | x = a and b                    | x = a or b
					DROP_NOT         | x = not a                      | x =  a
					MATH             | x = a - b                      | x = a + b
					MATH             | x = a * (-b)                   | x = a / (-b); x = a * (b)
					NUMBER           | x = a[1]                       | x = a[2]
					BOOLEAN          | x = true                       | x = false
					MIN_MAX          | x = math.max(a, b)             | x = math.min(a, b)
					DROP_CALL        | a() b.c('d').e(f) x = g()      | " b.c('d').e(f) x = g(); a()  x = g()"
					DROP_WRITE       | x = call('DEL', a) == 1        | x = false == 1
					DROP_ASSIGNMENT  | local y = 1 x, z[1] = a + 1, b | "local y = 1 "
					RETURN_NOTHING   | return a, b                    | return nil
					RETURN_EARLY     | if a then b() else c() end     | if a then do return end b() else c() end; if a then b() else do return end c() end
					RETURN_EARLY     | f = function(a) b() end        | f = function(a) do return end b() end
					DROP_OPTION      | call('SET', a, b, 'NX')        | call('SET', a, b)
					DROP_EXPIRY      | call('SET', a, b, 'PX', c + 1) | call('SET', a, b)
					""")
	void changesOneThing(LuaOperator operator, String script, String mutants) {
		assertThat(LuaMutants.of("any", script)).filteredOn((mutant) -> mutant.id().contains(" " + operator + " "))
			.extracting(LuaMutantsTest::text)
			.containsExactly(mutants.split("; ", -1));
	}

	@Test
	void textsAndCommentsStayAsTheyAre() {
		assertThat(LuaMutants.of("any", "-- a and b\n--[[ c < d\ne ]] x = 'it\\'s 1 and 2' -- =="))
			.extracting(GeneratedMutant::id)
			.containsExactly("any.lua top DROP_ASSIGNMENT 1");
	}

	@Test
	void namesSayTheFunctionAndNotTheLine() {
		String script = "local function f(a)\n\treturn a and function() return a or 1 end\nend\n";
		List<GeneratedMutant> mutants = LuaMutants.of("any", script);
		assertThat(mutants).extracting(GeneratedMutant::id)
			.contains("any.lua f AND_OR 1", "any.lua f AND_OR 2")
			.isEqualTo(LuaMutants.of("any", "\n\n" + script).stream().map(GeneratedMutant::id).toList());
		assertThat(mutants.get(0).what()).isEqualTo(
				"line 2: return a and function() return a or 1 end  =>  return a or " + "function() return a or 1 end");
	}

	@Test
	void whatIsNoScriptIsAnError() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LuaSource("x = ?"));
		assertThatIllegalArgumentException().isThrownBy(() -> new LuaSource("if x then y()"));
		assertThatExceptionOfType(LuaException.class).isThrownBy(() -> this.lua.load("x = a b c"));
	}

}
