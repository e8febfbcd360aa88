package io.lockstarter.interceptor;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Parses the key of a method, and refuses what can never be the key that its author
 * meant.
 */
final class KeyExpressionParser {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private static final Pattern BARE_VARIABLE = Pattern
		.compile("#[\\p{L}_$][\\p{L}\\p{N}_$]*(\\??\\.[\\p{L}\\p{N}_$]+)*");

	private final String text;

	private final ArgumentNames names;

	private final LockedMethod subject;

	private KeyExpressionParser(String text, ArgumentNames names, LockedMethod subject) {
		this.text = text;
		this.names = names;
		this.subject = subject;
	}

	static KeyExpression parse(String text, ArgumentNames names, LockedMethod subject) {
		return new KeyExpressionParser(text, names, subject).parse();
	}

	private KeyExpression parse() {
		List<Expression> parts = parts();
		for (Expression part : parts) {
			if (part instanceof SpelExpression spel) {
				checkRoot(spel.getAST());
				checkNames(spel.getAST());
			}
			else if (BARE_VARIABLE.matcher(part.getExpressionString()).find()) {
				throw invalid("has an expression outside of #{…}, which would be taken literally",
						"Write \"%s\"; a literal # is written #{'#'}".formatted(corrected(parts)));
			}
		}
		boolean literal = parts.stream().allMatch(LiteralExpression.class::isInstance);
		return new KeyExpression(this.text, literal ? List.of() : parts, this.names, this.subject);
	}

	private List<Expression> parts() {
		try {
			Expression parsed = PARSER.parseExpression(this.text, new TemplateParserContext());
			return (parsed instanceof CompositeStringExpression composite) ? List.of(composite.getExpressions())
					: List.of(parsed);
		}
		catch (ParseException | IllegalStateException ex) {
			throw this.subject.invalid("key \"%s\" cannot be parsed: %s".formatted(this.text, ex.getMessage()),
					"Write text with SpEL over the arguments in #{…}, for example \"stock:#{#productId}\"", ex);
		}
	}

	private void checkNames(SpelNode node) {
		if (node instanceof VariableReference) {
			String name = node.toStringAST().substring(1);
			if (this.names.indexOf(name) == null && !name.equals("this")) {
				throw invalid("refers to the unknown argument #" + name, "Use one of: " + this.names);
			}
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			checkNames(node.getChild(i));
		}
	}

	// There is no root object whose property could be meant.
	private void checkRoot(SpelNode node) {
		SpelNode first = (node instanceof CompoundExpression) ? node.getChild(0) : node;
		if (first instanceof PropertyOrFieldReference property) {
			throw invalid(
					"refers to '%s', which is nothing: an argument is written with #".formatted(property.getName()),
					"Write #{#%s}; known: %s".formatted(node.toStringAST(), this.names));
		}
	}

	private InvalidLockAnnotationException invalid(String problem, String remedy) {
		return this.subject.invalid("key \"%s\" %s".formatted(this.text, problem), remedy);
	}

	private String corrected(List<Expression> parts) {
		if (parts.size() == 1 && isExpression(this.text)) {
			return "#{" + this.text + "}";
		}
		return parts.stream().map(KeyExpressionParser::corrected).collect(Collectors.joining());
	}

	private static String corrected(Expression part) {
		return (part instanceof LiteralExpression)
				? BARE_VARIABLE.matcher(part.getExpressionString())
					.replaceAll((match) -> Matcher.quoteReplacement("#{" + match.group() + "}"))
				: "#{" + part.getExpressionString() + "}";
	}

	private static boolean isExpression(String text) {
		try {
			PARSER.parseExpression(text);
			return true;
		}
		catch (ParseException | IllegalStateException ex) {
			return false;
		}
	}

}
