// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.lockstarter.text.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * {@link LockKeys} of one text: literal, or with parts that depend on the call. A part
 * whose value is a collection or an array creates a key for each element.
 */
final class KeyExpression implements LockKeys {

	// None of them is in a text that might be meant as something else than text.
	private static final String NOT_PLAIN = "#'\"@({<$%+";

	private final String text;

	private final KeyScope scope;

	// What is literal is a text.
	private final List<Object> parts;

	/**
	 * Create the expression.
	 * @param parts its parts: each a {@link KeyPart}, or literal as a text
	 */
	KeyExpression(String text, KeyScope scope, List<Object> parts) {
		this.text = text;
		this.scope = scope;
		this.parts = parts;
	}

	/**
	 * Parse a text. Most need no expression language, whose classes are loaded for others
	 * only.
	 */
	static KeyExpression parse(String text, KeyScope scope) {
		List<Object> parts = plainParts(text, scope.names());
		KeyExpression parsed = (parts != null) ? new KeyExpression(text, scope, parts)
				: KeyExpressionParser.parse(text, scope);
		for (Object part : parsed.parts) {
			if (part instanceof String literal && !PrintableText.isPrintable(literal)) {
				throw scope.subject()
					.invalid(
							"key \"%s\" has a character that no key may have, shown as an escape"
								.formatted(PrintableText.of(text)),
							"Leave it out: a text block, for one, ends with a line break");
			}
		}
		return parsed;
	}

	/**
	 * Return the parts of a text if that is plain but for arguments in it, as in
	 * <code>stock:#{#id}</code>, and {@code null} otherwise.
	 */
	private static @Nullable List<Object> plainParts(String text, ArgumentNames names) {
		List<Object> parts = new ArrayList<>();
		int next = 0;
		for (int open = text.indexOf("#{#"); open >= 0; open = text.indexOf("#{#", next)) {
			int close = text.indexOf('}', open);
			String name = (close >= 0) ? text.substring(open + 3, close) : "";
			Integer index = name.equals("root") ? null : names.indexOf(name);
			String literal = text.substring(next, open);
			if (index == null || !isPlain(literal)) {
				return null;
			}
			parts.add(literal);
			parts.add(new KeyPart.Argument(index, "#{#" + name + "}"));
			next = close + 1;
		}
		String last = text.substring(next);
		if (!isPlain(last) || (next == 0 && names.areMeantBy(firstWord(text)))) {
			return null;
		}
		parts.add(last);
		return parts;
	}

	private static boolean isPlain(String literal) {
		for (int i = 0; i < literal.length(); i++) {
			if (NOT_PLAIN.indexOf(literal.charAt(i)) >= 0) {
				return false;
			}
		}
		return true;
	}

	static String firstWord(String text) {
		String word = text.strip();
		int end = 0;
		while (end < word.length() && word.charAt(end) != '.' && word.charAt(end) != '?') {
			end++;
		}
		return word.substring(0, end);
	}

	@Override
	public Collection<String> of(Object target, @Nullable Object[] arguments) {
		StringBuilder key = new StringBuilder();
		KeyText elements = null;
		int position = 0;
		for (Object each : this.parts) {
			if (!(each instanceof KeyPart part)) {
				key.append(each);
				continue;
			}
			KeyText value = KeyText.of(part.value(target, arguments, this::refusal), part.name(), this::refusal);
			if (!value.several()) {
				key.append(value.texts().get(0));
			}
			else if (elements == null) {
				elements = value;
				position = key.length();
			}
			else {
				throw refusal(part.name() + " is a second collection: write a key for each", null);
			}
		}
		return (elements == null) ? List.of(check(key.toString())) : expand(key, position, elements);
	}

	private List<String> expand(StringBuilder key, int position, KeyText elements) {
		String before = key.substring(0, position);
		String after = key.substring(position);
		return elements.texts().stream().map((element) -> check(before + element + after)).toList();
	}

	private String check(String key) {
		if (key.isBlank()) {
			throw refusal("it is blank", null);
		}
		return key;
	}

	private IllegalArgumentException refusal(String problem, @Nullable Throwable cause) {
		return new IllegalArgumentException("Key \"%s\" of @DistributedLock on %s cannot be locked: %s"
			.formatted(this.text, this.scope.subject(), problem), cause);
	}

}
