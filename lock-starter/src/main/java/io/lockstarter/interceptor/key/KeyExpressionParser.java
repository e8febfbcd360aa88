package io.lockstarter.interceptor.key;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.lockstarter.LockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.OpDivide;
import org.springframework.expression.spel.ast.OpMinus;
import org.springframework.expression.spel.ast.OpModulus;
import org.springframework.expression.spel.ast.OpMultiply;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Parses one text of the keys of a method: a template with <code>#{…}</code>, an
 * expression as a whole in the habit of Spring's cache annotations, or literal text.
 * Refuses what can never be the key that its author meant.
 */
final class KeyExpressionParser {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private static final Pattern BARE_VARIABLE = Pattern
		.compile("#[\\p{L}_$][\\p{L}\\p{N}_$]*(\\??\\.[\\p{L}\\p{N}_$]+)*");

	// Also in braces, where the # was put inside.
	private static final Pattern MEANT_VARIABLE = Pattern
		.compile("\\{\\s*(?<inside>%s)\\s*}|%s".formatted(BARE_VARIABLE.pattern(), BARE_VARIABLE.pattern()));

	// A quote, a bean, a type, a constructor call, or a list of texts.
	private static final Pattern EXPRESSION_START = Pattern
		.compile("['\"]|@['\\p{L}_$]|T\\s*\\(|new\\s+[\\w.]+\\(|\\{\\s*['\"]");

	// What nobody writes as text: a quoted text that something is added to, a call of a
	// bean, a type.
	private static final Pattern OUTSIDE = Pattern
		.compile("['\"]\\s*\\+|\\+\\s*['\"]|@[\\p{L}_$][\\w$]*(\\.\\w+)+\\(|\\bT\\([\\w.]+\\)\\s*\\.");

	private static final Pattern ROOT_PROPERTY = Pattern
		.compile("(root\\.(method|target|args)|(methodName|targetClass)\\b|args\\[).*");

	private final String text;

	private final KeyScope scope;

	private KeyExpressionParser(String text, KeyScope scope) {
		this.text = text;
		this.scope = scope;
	}

	static KeyExpression parse(String text, KeyScope scope) {
		return new KeyExpressionParser(text, scope).parse();
	}

	private KeyExpression parse() {
		if (this.text.contains("#{")) {
			return template();
		}
		if (BARE_VARIABLE.matcher(this.text).find() || EXPRESSION_START.matcher(this.text.strip()).lookingAt()) {
			return expression();
		}
		if (ROOT_PROPERTY.matcher(this.text).matches()) {
			throw invalid("would be taken literally",
					"Write \"#{#root.%s}\" if you mean the call".formatted(this.text.replaceFirst("^root\\.", "")));
		}
		checkLiteral(this.text, List.of());
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
			throw this.scope.subject()
				.invalid("key \"%s\" cannot be parsed: %s".formatted(this.text, ex.getMessage()),
						"Write text with SpEL over the arguments in #{…}, for example \"stock:#{#productId}\"", ex);
		}
		Expression several = null;
		for (Expression part : parts) {
			if (!(part instanceof SpelExpression spel)) {
				checkLiteral(part.getExpressionString(), parts);
			}
			else if (isSeveral(checkTypes(spel, null))) {
				if (several != null) {
					throw invalid("has two collections, #{%s} and #{%s}".formatted(several.getExpressionString(),
							part.getExpressionString()), "Write a key for each, as in key = {\"…\", \"…\"}");
				}
				several = part;
			}
		}
		return new KeyExpression(this.text, parts, this.scope);
	}

	private KeyExpression expression() {
		String corrected = corrected(List.of(new LiteralExpression(this.text)));
		SpelExpression expression;
		try {
			expression = PARSER.parseRaw(this.text);
		}
		catch (ParseException | IllegalStateException ex) {
			throw outside(corrected, ex);
		}
		SpelNode node = expression.getAST();
		if (node instanceof OpMinus || node instanceof OpDivide || node instanceof OpMultiply
				|| node instanceof OpModulus) {
			throw invalid("would be calculated, as it is an expression without #{…}",
					"Write \"%s\" for the values with text between them, or \"#{%s}\" for the number"
						.formatted(corrected, this.text.strip()));
		}
		checkTypes(expression, corrected);
		return new KeyExpression(this.text, List.of(expression), this.scope);
	}

	private void checkLiteral(String literal, List<Expression> parts) {
		if (BARE_VARIABLE.matcher(literal).find()) {
			throw outside(corrected(parts), null);
		}
		if (OUTSIDE.matcher(literal).find()) {
			throw invalid("has an expression outside of #{…}, which would be taken literally",
					"Put the whole of the expression into #{…}");
		}
	}

	private LockSetupException outside(String corrected, @Nullable Exception cause) {
		String remedy = BARE_VARIABLE.matcher(this.text).find()
				? "Write \"%s\"; a literal # is written #{'#'}".formatted(corrected)
				: "Write what is to be evaluated in #{…}, and the rest as it is, without quotes; "
						+ "a key that begins with ' or @ begins with #{\"'\"} or #{'@'}";
		return this.scope.subject()
			.invalid("key \"%s\" has an expression outside of #{…}, which would be taken literally%s".formatted(
					this.text, (cause != null) ? ", and is no expression as a whole: " + cause.getMessage() : ""),
					remedy, cause);
	}

	private ResolvableType checkTypes(SpelExpression expression, @Nullable String corrected) {
		ResolvableType type = new KeyTypes(this.text, corrected, this.scope).of(expression.getAST());
		String flaw = KeyText.whyNever(type);
		if (flaw != null) {
			throw invalid("cannot be locked: " + expression.getExpressionString() + flaw,
					"Use a value whose text is the same in every JVM, such as an id");
		}
		return type;
	}

	private static boolean isSeveral(ResolvableType type) {
		Class<?> present = ((type.resolve() == Optional.class) ? type.getGeneric(0) : type).resolve();
		return present != null && KeyText.isSeveral(present);
	}

	private LockSetupException invalid(String problem, String remedy) {
		return this.scope.subject().invalid("key \"%s\" %s".formatted(this.text, problem), remedy);
	}

	private static String corrected(List<Expression> parts) {
		return parts.stream().map(KeyExpressionParser::corrected).collect(Collectors.joining());
	}

	private static String corrected(Expression part) {
		return (part instanceof LiteralExpression)
				? MEANT_VARIABLE.matcher(part.getExpressionString())
					.replaceAll((match) -> Matcher
						.quoteReplacement("#{" + ((match.group(1) != null) ? match.group(1) : match.group()) + "}"))
				: "#{" + part.getExpressionString() + "}";
	}

}
