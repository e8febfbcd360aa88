// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lockstarter.LockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Parses one text of the keys of a method: a template with <code>#{…}</code>, an
 * expression as a whole as in Spring's cache annotations, or literal text. Refuses text
 * in which a <code>#name</code> would be taken literally.
 */
record KeyExpressionParser(String text, KeyScope scope) {

	private static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration();

	private static final SpelExpressionParser PARSER = new SpelExpressionParser(CONFIGURATION);

	private static final String PATH = "[\\p{L}_$][\\p{L}\\p{N}_$]*(?:\\??\\.[\\p{L}\\p{N}_$]+)*";

	private static final Pattern VARIABLE = Pattern.compile("#" + PATH);

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

	// What other templates have: {id}, <id>, $id, {0}, {} and %s.
	private static final Pattern PLACEHOLDER = Pattern
		.compile("\\{\\s*(%s)\\s*}|<\\s*(%s)\\s*>|\\$(%s)|\\{(\\d+)}|\\{}|%%(?:\\d+\\$)?[sdx](?![\\p{L}\\p{N}])"
			.formatted(PATH, PATH, PATH));

	private static final Pattern WORD = Pattern.compile("\\s*(%s)(?:\\(\\))?\\s*".formatted(PATH));

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
		checkLiteral(this.text);
		Matcher word = WORD.matcher(this.text);
		if (word.matches() && this.scope.names().areMeantBy(KeyExpression.firstWord(word.group(1)))
				&& isReference("#" + this.text)) {
			throw literal(this.text.strip(), "#{#" + this.text.strip() + "}");
		}
		return new KeyExpression(this.text, this.scope, List.of(this.text));
	}

	// Of "invoice.create", an invoice has no such property.
	private boolean isReference(String expression) {
		try {
			new KeyReferences(expression, expression, this.scope).check(PARSER.parseRaw(expression).getAST());
			return true;
		}
		catch (LockSetupException | ParseException ex) {
			return false;
		}
	}

	private KeyExpression template() {
		List<Expression> template;
		try {
			Expression parsed = PARSER.parseExpression(this.text, new TemplateParserContext());
			template = (parsed instanceof CompositeStringExpression composite) ? List.of(composite.getExpressions())
					: List.of(parsed);
		}
		catch (ParseException | IllegalStateException ex) {
			throw invalid("cannot be parsed: " + ex.getMessage(),
					"Write text with SpEL over the arguments in #{…}, for example \"stock:#{#productId}\"", ex);
		}
		List<Object> parts = new ArrayList<>();
		for (Expression each : template) {
			String part = each.getExpressionString();
			if (each instanceof SpelExpression expression) {
				new KeyReferences(this.text, this.text, this.scope).check(expression.getAST());
				addParts(expression.getAST(), part, parts);
			}
			else if (VARIABLE.matcher(part).find()) {
				throw outside(template.stream().map(KeyExpressionParser::corrected).collect(Collectors.joining()),
						null);
			}
			else {
				checkLiteral(part);
				parts.add(part);
			}
		}
		return new KeyExpression(this.text, this.scope, parts);
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
		List<Object> parts = new ArrayList<>();
		addParts(expression.getAST(), this.text, parts);
		return new KeyExpression(this.text, this.scope, parts);
	}

	/**
	 * Refuse what was not written as text: it would be one lock for all values.
	 */
	private void checkLiteral(String literal) {
		if (OUTSIDE.matcher(literal).find()) {
			throw invalid("has an expression outside of #{…}, which would be taken literally",
					"Put the whole of the expression into #{…}", null);
		}
		Matcher placeholder = PLACEHOLDER.matcher(literal);
		while (placeholder.find()) {
			checkPlaceholder(placeholder.toMatchResult());
		}
	}

	private void checkPlaceholder(MatchResult found) {
		ArgumentNames names = this.scope.names();
		String path = IntStream.rangeClosed(1, 4)
			.mapToObj(found::group)
			.filter(Objects::nonNull)
			.map((text) -> Character.isDigit(text.charAt(0)) ? "p" + text : text)
			.findFirst()
			.orElse(null);
		if (path == null && !names.isEmpty()) {
			throw literal(found.group(), "#{…} with one of: " + names);
		}
		if (path != null && names.indexOf(KeyExpression.firstWord(path)) != null) {
			throw literal(found.group(), "#{#" + path + "}");
		}
	}

	private LockSetupException literal(String found, String corrected) {
		return invalid("has '%s', which would be taken literally: one lock for all values".formatted(found),
				"Write %s in place of it, or #{'%s'} if it is meant as text".formatted(corrected,
						found.replace("'", "''")),
				null);
	}

	/**
	 * Split texts that are put together with +, so that 'stock:' + #id is the same key as
	 * stock:#{#id}, and as well checked.
	 */
	private void addParts(SpelNode node, String expression, List<Object> parts) {
		if (!isSum(node)) {
			parts.add(new EvaluatedPart(new SpelExpression(expression, (SpelNodeImpl) node, CONFIGURATION),
					expression.equals(this.text) ? expression : "#{" + expression + "}", this.scope));
			return;
		}
		for (SpelNode summand : List.of(node.getChild(0), node.getChild(1))) {
			if (summand instanceof StringLiteral literal) {
				parts.add(String.valueOf(literal.getLiteralValue().getValue()));
			}
			else {
				addParts(summand, summand.toStringAST(), parts);
			}
		}
	}

	// Whether two nodes are put together as texts, rather than added as numbers.
	private static boolean isSum(SpelNode node) {
		return node instanceof OpPlus && node.getChildCount() == 2
				&& (isText(node.getChild(0)) || isText(node.getChild(1)));
	}

	private static boolean isText(SpelNode node) {
		return node instanceof StringLiteral || isSum(node);
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
