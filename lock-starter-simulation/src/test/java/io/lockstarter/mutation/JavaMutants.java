// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.pitest.bytecode.analysis.ClassTree;
import org.pitest.classinfo.ClassName;
import org.pitest.classpath.ClassloaderByteArraySource;
import org.pitest.mutationtest.build.CompoundMutationInterceptor;
import org.pitest.mutationtest.build.intercept.equivalent.EqualsPerformanceShortcutFilter;
import org.pitest.mutationtest.build.intercept.equivalent.NullFinalFieldAssignmentFilter;
import org.pitest.mutationtest.build.intercept.javafeatures.EnumFilter;
import org.pitest.mutationtest.build.intercept.javafeatures.EnumSwitchFilter;
import org.pitest.mutationtest.build.intercept.javafeatures.ForEachLoopFilter;
import org.pitest.mutationtest.build.intercept.javafeatures.ImplicitNullCheckFilter;
import org.pitest.mutationtest.build.intercept.javafeatures.InlinedFinallyBlockFilter;
import org.pitest.mutationtest.build.intercept.javafeatures.MethodReferenceNullCheckFilter;
import org.pitest.mutationtest.build.intercept.javafeatures.RecordFilter;
import org.pitest.mutationtest.build.intercept.javafeatures.StringSwitchFilter;
import org.pitest.mutationtest.build.intercept.javafeatures.TryWithResourcesFilter;
import org.pitest.mutationtest.build.intercept.logging.LoggingCallsFilter;
import org.pitest.mutationtest.engine.Location;
import org.pitest.mutationtest.engine.MutationDetails;
import org.pitest.mutationtest.engine.MutationIdentifier;
import org.pitest.mutationtest.engine.gregor.GregorMutater;
import org.pitest.mutationtest.engine.gregor.config.Mutator;

/**
 * All mutants that PIT makes of the classes of a package by its default operators,
 * without those that it leaves out, such as what only logs, and what a compiler adds.
 */
final class JavaMutants {

	private static final String OURS = "io.lockstarter.";

	private static final Set<String> EMPTY = Set.of("of()Ljava/util/List;", "of()Ljava/util/Set;",
			"of()Ljava/util/Map;", "empty()Ljava/util/Optional;", "empty()Ljava/util/stream/Stream;");

	private final ClassloaderByteArraySource classes = new ClassloaderByteArraySource(
			JavaMutants.class.getClassLoader());

	private final GregorMutater mutater = new GregorMutater(this.classes, (method) -> true, Mutator.newDefaults());

	private final CompoundMutationInterceptor filter = new CompoundMutationInterceptor(
			List.of(new LoggingCallsFilter(Set.of("org.apache.commons.logging")), new InlinedFinallyBlockFilter(),
					new TryWithResourcesFilter(), new ForEachLoopFilter(), new RecordFilter(), new EnumFilter(),
					new EnumSwitchFilter(), new StringSwitchFilter(), new ImplicitNullCheckFilter(),
					new MethodReferenceNullCheckFilter(), new EqualsPerformanceShortcutFilter(),
					new NullFinalFieldAssignmentFilter()));

	private JavaMutants() {
	}

	/**
	 * Return the mutants of a package.
	 * @param name its name, below {@code io.lockstarter}
	 */
	static List<GeneratedMutant> of(String name, String options) {
		try (Stream<Path> files = Files.list(Modules.compiled((OURS + name).replace('.', '/')))) {
			JavaMutants mutants = new JavaMutants();
			return files.map((file) -> String.valueOf(file.getFileName()))
				.filter((file) -> file.endsWith(".class") && !file.equals("package-info.class"))
				.map((file) -> OURS + name + "." + file.substring(0, file.length() - ".class".length()))
				.sorted()
				.flatMap((type) -> mutants.ofClass(type, options).stream())
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private List<GeneratedMutant> ofClass(String type, String options) {
		ClassTree tree = ClassTree.fromBytes(this.classes.getBytes(type).orElseThrow());
		if (tree.isSynthetic()) {
			return List.of();
		}
		this.filter.begin(tree);
		List<MutationDetails> found = new ArrayList<>(
				this.filter.intercept(this.mutater.findMutations(ClassName.fromString(type)), this.mutater));
		this.filter.end();
		found.sort(Comparator.comparing(MutationDetails::getId));
		List<String> lines = sourceOf(type);
		Map<String, Integer> numbers = new HashMap<>();
		List<GeneratedMutant> mutants = new ArrayList<>();
		for (MutationDetails each : found) {
			String place = type.substring(OURS.length()) + "." + method(each.getId().getLocation()) + " "
					+ operator(each.getMutator());
			String id = place + " " + numbers.merge(place, 1, Integer::sum);
			if (returnsTheSame(tree, each)) {
				continue;
			}
			int line = each.getLineNumber();
			String source = (line > 0 && line <= lines.size()) ? lines.get(line - 1).strip() : "";
			mutants.add(new GeneratedMutant(id, "line %d: %s  =>  %s".formatted(line, source, each.getDescription()),
					options, type.replace('.', '/') + ".class", () -> bytes(each.getId())));
		}
		return mutants;
	}

	/**
	 * Return whether a mutant returns a constant that is returned anyway. PIT's own
	 * filter takes the last branch of a condition for that.
	 */
	private static boolean returnsTheSame(ClassTree tree, MutationDetails mutant) {
		AbstractInsnNode before = tree.method(mutant.getId().getLocation())
			.flatMap((method) -> method.instructionForIndex(mutant.getInstructionIndex()))
			.map(AbstractInsnNode::getPrevious)
			.orElse(null);
		if (before != null && before.getOpcode() == Opcodes.MONITOREXIT) {
			before = before.getPrevious().getPrevious();
		}
		int constant = (before != null) ? before.getOpcode() : -1;
		return switch (operator(mutant.getMutator())) {
			case "BooleanTrueReturnVals" -> constant == Opcodes.ICONST_1;
			case "BooleanFalseReturnVals" -> constant == Opcodes.ICONST_0;
			case "PrimitiveReturns" -> constant == Opcodes.ICONST_0 || constant == Opcodes.LCONST_0;
			case "NullReturnVals" -> constant == Opcodes.ACONST_NULL;
			case "EmptyObjectReturnVals" ->
				before instanceof MethodInsnNode call && EMPTY.contains(call.name + call.desc);
			default -> false;
		};
	}

	private byte[] bytes(MutationIdentifier id) {
		return this.mutater.getMutation(id).getBytes();
	}

	private static String method(Location location) {
		return location.getMethodName() + Stream.of(Type.getArgumentTypes(location.getMethodDesc()))
			.map(Type::getClassName)
			.map((name) -> name.substring(name.lastIndexOf('.') + 1))
			.collect(Collectors.joining(",", "(", ")"));
	}

	private static String operator(String mutator) {
		return mutator.substring(mutator.lastIndexOf('.') + 1).replaceFirst("Mutator(_|$)", "$1");
	}

	private static List<String> sourceOf(String type) {
		int nested = type.indexOf('$');
		String file = ((nested < 0) ? type : type.substring(0, nested)).replace('.', '/') + ".java";
		try {
			return Files.readAllLines(Modules.source("java/" + file));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
