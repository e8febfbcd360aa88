// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A kind of small mistakes in scripts.
 */
enum LuaOperator {

	/**
	 * The opposite of what is asked.
	 */
	NEGATE_CONDITION {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			if (!source.is(at, "if", "elseif", "while")) {
				return null;
			}
			int end = source.afterExpression(at + 1);
			return new LuaEdit(at + 1, end, "not (" + source.text(at + 1, end) + ")");
		}

	},

	/**
	 * What is equal counts, or does not.
	 */
	BOUNDARY {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			return swap(source, at, Map.of("<", "<=", "<=", "<", ">", ">=", ">=", ">"));
		}

	},

	/**
	 * What differs is taken for equal, and the other way round.
	 */
	EQUALITY {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			return swap(source, at, Map.of("==", "~=", "~=", "=="));
		}

	},

	/**
	 * One of two is enough, or both are needed.
	 */
	AND_OR {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			return swap(source, at, Map.of("and", "or", "or", "and"));
		}

	},

	/**
	 * What must not be is asked for.
	 */
	DROP_NOT {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			return swap(source, at, Map.of("not", ""));
		}

	},

	/**
	 * Another operation, or another sign.
	 */
	MATH {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			if (source.is(at, "-") && !source.endsValue(at - 1)) {
				return new LuaEdit(at, at + 1, "");
			}
			return swap(source, at, Map.of("+", "-", "-", "+", "*", "/", "/", "*", "%", "*", "^", "*"));
		}

	},

	/**
	 * A number, or an index, is off by one.
	 */
	NUMBER {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			String number = source.text(at);
			return number.matches("\\d{1,9}") ? new LuaEdit(at, at + 1, Integer.toString(Integer.parseInt(number) + 1))
					: null;
		}

	},

	/**
	 * True is false.
	 */
	BOOLEAN {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			return swap(source, at, Map.of("true", "false", "false", "true"));
		}

	},

	/**
	 * The larger of two in place of the smaller, rounded the other way.
	 */
	MIN_MAX {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			return source.is(at - 1, ".")
					? swap(source, at, Map.of("min", "max", "max", "min", "floor", "ceil", "ceil", "floor")) : null;
		}

	},

	/**
	 * Something is not called.
	 */
	DROP_CALL {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			int end = source.afterOperand(at);
			return (source.beginsStatement(at) && source.is(end - 1, ")")) ? new LuaEdit(at, end, "") : null;
		}

	},

	/**
	 * A command whose reply matters does not write, and has no reply.
	 */
	DROP_WRITE {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			if (!source.is(at, "call", "try") || !source.is(at + 1, "(") || source.beginsStatement(at)
					|| source.is(at - 1, ".") || !WRITING.contains(source.text(at + 2))) {
				return null;
			}
			int end = source.endOf(at + 1) + 1;
			return source.is(end, ".", "[", ":") ? null : new LuaEdit(at, end, "false");
		}

	},

	/**
	 * Something is not assigned.
	 */
	DROP_ASSIGNMENT {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			if (!source.beginsStatement(at)) {
				return null;
			}
			int equal = source.afterOperand(at);
			while (source.is(equal, ",")) {
				equal = source.afterOperand(equal + 1);
			}
			return source.is(equal, "=") ? new LuaEdit(at, source.afterExpressions(equal + 1), "") : null;
		}

	},

	/**
	 * Nothing is returned.
	 */
	RETURN_NOTHING {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			if (!source.is(at, "return") || source.is(at + 1, "end", "else", "elseif", "until", "nil", "")) {
				return null;
			}
			return new LuaEdit(at + 1, source.afterExpressions(at + 1), "nil");
		}

	},

	/**
	 * A function, or a part of it, does nothing.
	 */
	RETURN_EARLY {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			int body = at + 1;
			if (source.is(at, "function")) {
				body = source.bodyOf(at);
			}
			else if (!source.is(at, "then", "else")) {
				return null;
			}
			return source.is(body, "return", "end") ? null : new LuaEdit(body, body, "do return end ");
		}

	},

	/**
	 * A command without one of its options.
	 */
	DROP_OPTION {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			return (source.is(at, ",") && source.is(at + 1, "'NX'", "'XX'", "'KEEPTTL'", "'WITHSCORES'"))
					? new LuaEdit(at, at + 2, "") : null;
		}

	},

	/**
	 * What is written does not expire.
	 */
	DROP_EXPIRY {

		@Override
		@Nullable LuaEdit at(LuaSource source, int at) {
			return (source.is(at, ",") && source.is(at + 1, "'PX'"))
					? new LuaEdit(at, source.afterExpression(at + 3), "") : null;
		}

	};

	private static final Set<String> WRITING = Set.of("'SET'", "'DEL'", "'ZADD'", "'ZREM'", "'ZPOPMIN'",
			"'ZREMRANGEBYSCORE'", "'PEXPIRE'", "'PEXPIREAT'");

	/**
	 * Return what it changes at a token; {@code null} if nothing.
	 */
	abstract @Nullable LuaEdit at(LuaSource source, int at);

	private static @Nullable LuaEdit swap(LuaSource source, int at, Map<String, String> others) {
		String other = others.get(source.text(at));
		return (other != null) ? new LuaEdit(at, at + 1, other) : null;
	}

}
