// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.lockstarter.LockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Parses one text of the keys of a method: a template with <code>#{…}</code>, an
 * expression as a whole as in Spring's cache annotations, or literal text. Refuses text
 * in which a <code>#name</code> would be taken literally.
 */
record KeyExpressionParser(String text, KeyScope scope) {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private static final Pattern VARIABLE = Pattern
		.compile("#[\\p{L}_$][\\p{L}\\p{N}_$]*(?:\\??\\.[\\p{L}\\p{N}_$]+)*");

	// Outside of a template; also in braces, where the # was put inside.
	private static final Pattern BARE_VARIABLE = Pattern
		.compile("(?<![#{])(?:\\{\\s*(%s)\\s*}|(%s))".formatted(VARIABLE, VARIABLE));

	// A quote, a bean, a type, a constructor call, or a list of texts.
	private static final Pattern EXPRESSION_START = Pattern
		.compile("['\"]|@['\\p{L}_$]|T\\s*\\(|new\\s+[\\w.]+\\(|\\{\\s*['\"]");

	// In the text of a template nobody means these: a quoted text that something is added
	// to, a call of a bean, a type. Taken literally, they would make another key than the
	// same text does elsewhere.
	private static final Pattern OUTSIDE = Pattern
		.compile("['\"]\\s*\\+|\\+\\s*['\"]|@[\\p{L}_$][\\w$]*(\\.\\w+)+\\(|\\bT\\([\\w.]+\\)\\s*\\.");

	static KeyExpression parse(String text, KeyScope scope) {
		return new KeyExpressionParser(text, scope).parse();
	}

	private KeyExpression parse() {
		if (this.text.contains("#{")) {
			return template();
		}
		if (VARIABLE.matcher(this.text).find() || EXPRESSION_START.matcher(this.text.strip()).lookingAt()) {
			return expression();
		}
		return new KeyExpression(this.text, List.of(), this.scope);
	}

	private KeyExpression template() {
		List<Expression> parts;
		try {
			Expression parsed = PARSER.parseExpression(this.text, new TemplateParserContext());
			parts = (parsed instanceof CompositeStringExpression composite) ? List.of(composite.getExpressions())
					: List.of(parsed);
		}
		catch (ParseException | IllegalStateException ex) {
			throw invalid("cannot be parsed: " + ex.getMessage(),
					"Write text with SpEL over the arguments in #{…}, for example \"stock:#{#productId}\"", ex);
		}
		for (Expression part : parts) {
			if (part instanceof SpelExpression expression) {
				new KeyReferences(this.text, this.text, this.scope).check(expression.getAST());
			}
			else if (VARIABLE.matcher(part.getExpressionString()).find()) {
				throw outside(parts.stream().map(KeyExpressionParser::corrected).collect(Collectors.joining()), null);
			}
			else if (OUTSIDE.matcher(part.getExpressionString()).find()) {
				throw invalid("has an expression outside of #{…}, which would be taken literally",
						"Put the whole of the expression into #{…}", null);
			}
		}
		return new KeyExpression(this.text, parts, this.scope);
	}

	private KeyExpression expression() {
		String corrected = corrected(this.text);
		SpelExpression expression;
		try {
			expression = PARSER.parseRaw(this.text);
		}
		catch (ParseException | IllegalStateException ex) {
			throw outside(corrected, ex);
		}
		if (expression.getAST() instanceof Operator operator && !(operator instanceof OpPlus)) {
			throw invalid("would be calculated, as it is an expression without #{…}",
					"Write \"%s\" for the values with text between them, or \"#{%s}\" for the result"
						.formatted(corrected, this.text.strip()),
					null);
		}
		new KeyReferences(this.text, corrected, this.scope).check(expression.getAST());
		return new KeyExpression(this.text, List.of(expression), this.scope);
	}

	private static String corrected(Expression part) {
		String text = part.getExpressionString();
		return (part instanceof LiteralExpression) ? corrected(text) : "#{" + text + "}";
	}

	private static String corrected(String literal) {
		return BARE_VARIABLE.matcher(literal).replaceAll("#{$1$2}");
	}

	private LockSetupException outside(String corrected, @Nullable Exception cause) {
		String remedy = !corrected.equals(this.text)
				? "Write \"%s\"; a literal # is written #{'#'}".formatted(corrected)
				: "Write what is to be evaluated in #{…}, and the rest as it is, without quotes; "
						+ "a key that begins with ' or @ begins with #{\"'\"} or #{'@'}";
		return invalid(
				"has an expression outside of #{…}, which would be taken literally"
						+ ((cause != null) ? ", and is no expression as a whole: " + cause.getMessage() : ""),
				remedy, cause);
	}

	private LockSetupException invalid(String problem, String remedy, @Nullable Exception cause) {
		return this.scope.subject().invalid("key \"%s\" %s".formatted(this.text, problem), remedy, cause);
	}

}
