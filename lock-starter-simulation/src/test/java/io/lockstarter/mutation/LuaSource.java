// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tokens of a script, and as much of its grammar as it takes to change one thing in
 * it.
 */
public final class LuaSource {

	private static final Pattern TOKEN = Pattern
		.compile("(?<skipped>\\s+|--\\[\\[.*?]]|--[^\n]*)" + "|(?<name>[A-Za-z_]\\w*)|(?<number>\\d[\\w.]*)"
				+ "|(?<text>'(?:\\\\.|[^'\\\\])*'|\"(?:\\\\.|[^\"\\\\])*\"|\\[\\[.*?]])"
				+ "|(?<symbol>\\.\\.\\.|\\.\\.|==|~=|<=|>=|[-+*/%^#<>=(){}\\[\\];:,.])", Pattern.DOTALL);

	private static final int LONGEST = 200;

	private static final Set<String> KEYWORDS = Set.of("and", "break", "do", "else", "elseif", "end", "false", "for",
			"function", "if", "in", "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while");

	private static final Set<String> VALUES = Set.of(")", "]", "}", "...", "end", "nil", "true", "false");

	private static final Set<String> BINARY = Set.of("+", "-", "*", "/", "%", "^", "..", "==", "~=", "<", "<=", ">",
			">=", "and", "or");

	private final String text;

	private final List<Token> tokens = new ArrayList<>();

	// Of a bracket, or of what a block begins with: where it ends.
	private final int[] ends;

	// The function that each token is in.
	private final String[] functions;

	public LuaSource(String text) {
		this.text = text;
		Matcher matcher = TOKEN.matcher(text);
		int at = 0;
		while (at < text.length()) {
			if (!matcher.find(at) || matcher.start() != at) {
				throw new IllegalArgumentException("No token of Lua: " + line(at));
			}
			if (matcher.group("skipped") == null) {
				this.tokens.add(new Token(matcher.group(), at, matcher.end(), matcher.group("name") != null,
						matcher.group("number") != null || matcher.group("text") != null));
			}
			at = matcher.end();
		}
		this.ends = new int[size()];
		this.functions = new String[size()];
		findBlocks();
	}

	private void findBlocks() {
		Deque<Integer> open = new ArrayDeque<>();
		Deque<String> names = new ArrayDeque<>(List.of("top"));
		for (int at = 0; at < size(); at++) {
			switch (text(at)) {
				case "function" -> {
					open.push(at);
					names.push(functionAt(at, names.peek()));
				}
				case "if", "do", "repeat", "(", "[", "{" -> open.push(at);
				case "end", "until", ")", "]", "}" -> this.ends[open.peek()] = at;
				default -> {
				}
			}
			this.functions[at] = names.peek();
			if (!open.isEmpty() && this.ends[open.peek()] == at && at > 0 && isEnd(at)) {
				if (is(open.pop(), "function")) {
					names.pop();
				}
			}
		}
		if (!open.isEmpty()) {
			throw new IllegalArgumentException("Without an end: " + line(open.peek()));
		}
	}

	private boolean isEnd(int at) {
		return is(at, "end", "until", ")", "]", "}");
	}

	// By its name, or that of what it is assigned to; or, if it has none, of the one it
	// is in.
	private String functionAt(int at, String outer) {
		if (isName(at + 1)) {
			return text(at + 1);
		}
		return (is(at - 1, "=") && isName(at - 2)) ? text(at - 2) : outer;
	}

	public int size() {
		return this.tokens.size();
	}

	/**
	 * Return a token; empty beyond the first and the last one.
	 */
	public String text(int at) {
		return (at >= 0 && at < size()) ? this.tokens.get(at).text : "";
	}

	public boolean is(int at, String... texts) {
		return List.of(texts).contains(text(at));
	}

	public boolean isName(int at) {
		return at >= 0 && at < size() && this.tokens.get(at).word && !KEYWORDS.contains(text(at));
	}

	/**
	 * Return whether an operand ends with a token.
	 */
	boolean endsValue(int at) {
		return at >= 0 && at < size() && (isName(at) || this.tokens.get(at).literal || VALUES.contains(text(at)));
	}

	/**
	 * Return whether an assignment or a call begins with a token, which is a statement.
	 */
	boolean beginsStatement(int at) {
		return isName(at) && (at == 0 || endsValue(at - 1) || is(at - 1, "then", "else", "do", "repeat", ";"));
	}

	/**
	 * Return the name of the function that a token is in.
	 */
	public String functionOf(int at) {
		return this.functions[at];
	}

	/**
	 * Return where a bracket, or a block, ends that begins with a token.
	 */
	public int endOf(int at) {
		return this.ends[at];
	}

	/**
	 * Return the token after an expression.
	 */
	int afterExpression(int from) {
		int at = from;
		while (is(at, "not", "-", "#")) {
			at++;
		}
		at = afterOperand(at);
		return BINARY.contains(text(at)) ? afterExpression(at + 1) : at;
	}

	/**
	 * Return the token after several expressions with commas between them.
	 */
	int afterExpressions(int from) {
		int at = afterExpression(from);
		return is(at, ",") ? afterExpressions(at + 1) : at;
	}

	/**
	 * Return the token after an operand, with all that is called and looked up of it.
	 */
	int afterOperand(int from) {
		int at = is(from, "(", "{", "function") ? endOf(from) + 1 : from + 1;
		while (true) {
			if (is(at, ".", ":")) {
				at += 2;
			}
			else if (is(at, "(", "[", "{")) {
				at = endOf(at) + 1;
			}
			else {
				return at;
			}
		}
	}

	/**
	 * Return the text of some tokens, and what is between them.
	 */
	String text(int from, int to) {
		return this.text.substring(this.tokens.get(from).start, this.tokens.get(to - 1).end);
	}

	/**
	 * Return where what a function does begins.
	 * @param at the token with which the function begins
	 */
	public int bodyOf(int at) {
		return endOf(isName(at + 1) ? at + 2 : at + 1) + 1;
	}

	/**
	 * Return the script with something else in place of some tokens.
	 * @param edits in the order of the script
	 */
	public String with(LuaEdit... edits) {
		StringBuilder changed = new StringBuilder();
		int at = 0;
		for (LuaEdit edit : edits) {
			changed.append(this.text, at, start(edit.from())).append(edit.replacement());
			at = end(edit);
		}
		return changed.append(this.text, at, this.text.length()).toString();
	}

	/**
	 * Return the line that a token is in.
	 */
	public int lineOf(int at) {
		return 1 + (int) this.text.substring(0, start(at)).chars().filter((next) -> next == '\n').count();
	}

	/**
	 * Say what an edit changes.
	 */
	String describe(LuaEdit edit) {
		int begin = this.text.lastIndexOf('\n', start(edit.from()) - 1) + 1;
		int end = (this.text + "\n").indexOf('\n', Math.max(end(edit) - 1, begin));
		String after = this.text.substring(begin, start(edit.from())) + edit.replacement()
				+ this.text.substring(end(edit), end);
		return "line %d: %s  =>  %s".formatted(lineOf(edit.from()), oneLine(this.text.substring(begin, end)),
				oneLine(after));
	}

	private static String oneLine(String text) {
		String line = text.isBlank() ? "nothing" : text.strip().replaceAll("\\s+", " ");
		return (line.length() > LONGEST) ? line.substring(0, LONGEST) + " ..." : line;
	}

	private int start(int at) {
		return this.tokens.get(at).start;
	}

	// Without a token, it stands before the first.
	private int end(LuaEdit edit) {
		return (edit.to() > edit.from()) ? this.tokens.get(edit.to() - 1).end : start(edit.from());
	}

	private String line(int offset) {
		return this.text.substring(offset).lines().findFirst().orElse("");
	}

	/**
	 * A token.
	 *
	 * @param word whether it is a name or a keyword
	 * @param literal whether it is a number or a string
	 */
	private record Token(String text, int start, int end, boolean word, boolean literal) {

	}

}
