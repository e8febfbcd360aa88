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
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
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
				check(spel.getAST(), false, false);
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

	// There is no root object: what needs a target finds one only after something else,
	// as in #a.b, or among the elements of a projection or selection.
	private void check(SpelNode node, boolean inElement, boolean hasTarget) {
		if (node instanceof VariableReference) {
			String name = node.toStringAST().substring(1);
			if (this.names.indexOf(name) == null && !(inElement && name.equals("this"))) {
				throw invalid("refers to the unknown argument #" + name);
			}
		}
		else if ((!hasTarget && needsTarget(node)) || node instanceof BeanReference
				|| node instanceof FunctionReference) {
			throw invalid(
					"refers to '%s', but a key knows only the arguments, written with #".formatted(node.toStringAST()));
		}
		boolean inChildElement = inElement || node instanceof Projection || node instanceof Selection;
		for (int i = 0; i < node.getChildCount(); i++) {
			boolean follows = node instanceof CompoundExpression && i > 0;
			check(node.getChild(i), inChildElement, inChildElement || follows || isName(node, i));
		}
	}

	private static boolean needsTarget(SpelNode node) {
		return node instanceof PropertyOrFieldReference || node instanceof MethodReference || node instanceof Indexer
				|| node instanceof Projection || node instanceof Selection;
	}

	// The key in #map[key] and in {key: 1} stands for itself.
	private static boolean isName(SpelNode parent, int child) {
		return parent.getChild(child) instanceof PropertyOrFieldReference
				&& (parent instanceof Indexer || (parent instanceof InlineMap && child % 2 == 0));
	}

	private LockSetupException invalid(String problem) {
		return invalid(problem, "Use one of: " + this.names);
	}

	private LockSetupException invalid(String problem, String remedy) {
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
