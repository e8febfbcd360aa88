// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.interceptor.DistributedLockAdvisor;
import io.lockstarter.interceptor.LockServices;
import io.lockstarter.interceptor.LockValidation;
import io.lockstarter.interceptor.LockedBeans;
import io.lockstarter.interceptor.SectionObserver;
import io.lockstarter.interceptor.TransactionFence;
import io.lockstarter.interceptor.transaction.LockCommitCheck;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.core.annotation.AliasFor;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who may know whom. The build of lock-starter-simulation runs this test with the
 * packages of all jars.
 */
@AnalyzeClasses(packagesOf = ArchitectureTest.class,
		importOptions = { DoNotIncludeTests.class, ArchitectureTest.NoJarsOfTests.class })
class ArchitectureTest {

	private static final String[] JDK = { "java..", "org.jspecify.." };

	private static final String CONNECTION = "io.lockstarter.redis.connection";

	private static final String LEADER = "io.lockstarter.leader";

	private static final String LOG = "io.lockstarter.log";

	private static final String PLATFORM = "io.lockstarter.platform";

	private static final String STORE = "io.lockstarter.store";

	private static final String TEXT = "io.lockstarter.text";

	private static final DescribedPredicate<HasName> WATCHING = nameMatching(
			"io\\.lockstarter\\.engine\\.(Inspection|LimitCheck|OverlongLog|StoreHealth)(\\$.*)?");

	@ArchTest
	static final ArchRule textsKnowOnlyTheJdk = classes().that()
		.resideInAPackage(TEXT)
		.should()
		.onlyDependOnClassesThat(resideInAnyPackage(JDK).or(resideInAPackage(TEXT)));

	@ArchTest
	static final ArchRule logsKnowNothingOfLocks = classes().that()
		.resideInAPackage(LOG)
		.should()
		.onlyDependOnClassesThat(
				resideInAnyPackage(JDK).or(resideInAnyPackage(LOG, PLATFORM, "org.apache.commons.logging")));

	@ArchTest
	static final ArchRule thePlatformKnowsOnlyTheJdk = classes().that()
		.resideInAPackage(PLATFORM)
		.should()
		.onlyDependOnClassesThat(resideInAnyPackage(JDK).or(resideInAPackage(PLATFORM)));

	@ArchTest
	static final ArchRule onlyTheEngineTheStoresLeadersAndTheirLogsKnowThePlatform = noClasses().that()
		.resideOutsideOfPackages(PLATFORM, LOG, LEADER, "io.lockstarter.engine..", "io.lockstarter.memory..",
				"io.lockstarter.quorum..", "io.lockstarter.redis..")
		.should()
		.dependOnClassesThat(resideInAPackage(PLATFORM));

	/**
	 * A waiter parks the thread that called, which is the application's. The transport is
	 * what a simulation replaces: sockets have threads of their own.
	 */
	@ArchTest
	static final ArchRule onlyThePlatformIsUndetermined = noClasses().that()
		.resideInAnyPackage(LOG, STORE, LEADER, "io.lockstarter.engine..", "io.lockstarter.memory..",
				"io.lockstarter.quorum..", "io.lockstarter.redis..")
		.and(not(name("io.lockstarter.engine.Waiter").or(name(CONNECTION + ".LettuceTransport"))))
		.should()
		.accessTargetWhere(new Undetermined());

	/**
	 * What the JDK starts for itself, when it is needed, may fail when there is no thread
	 * left, and who relied on it waits for ever. The executor of an application that has
	 * none is the default of the JDK, and a task that it does not take is not left alone.
	 * A health check waits on the thread of its caller.
	 */
	@ArchTest
	static final ArchRule nobodyElseHasThreadsNorTimers = noClasses().that()
		.resideOutsideOfPackages(PLATFORM, "io.lockstarter.test..")
		.and(not(name("io.lockstarter.engine.Waiter").or(name(CONNECTION + ".LettuceTransport"))
			.or(name("io.lockstarter.autoconfigure.ContextLockServices"))
			.or(name("io.lockstarter.actuate.LockHealth"))))
		.should()
		.accessTargetWhere(Undetermined.threads())
		.orShould()
		.dependOnClassesThat()
		.resideInAnyPackage("reactor.core.scheduler..", "org.springframework.core.task..");

	/**
	 * The thread of a connection, and credentials that are waited for, are parts of the
	 * transport. The others know Netty by the bytes that they encode.
	 */
	@ArchTest
	static final ArchRule onlyTheTransportKnowsTheThreadsOfNettyAndOfReactor = noClasses().that()
		.resideInAPackage("io.lockstarter.redis..")
		.and(not(name(CONNECTION + ".LettuceTransport").or(name(CONNECTION + ".SharedLoopClient"))
			.or(name(CONNECTION + ".ResolvedCredentials"))))
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.netty.util.concurrent..", "io.netty.channel..", "reactor..");

	@ArchTest
	static final ArchRule theApiKnowsOnlyTheJdk = classes().that()
		.resideInAPackage("io.lockstarter")
		.should()
		.onlyDependOnClassesThat(resideInAnyPackage(JDK).or(resideInAnyPackage("io.lockstarter", TEXT)));

	@ArchTest
	static final ArchRule annotationsKnowOnlyTheApiAndAnnotationsOfSpring = classes().that()
		.resideInAPackage("io.lockstarter.annotation..")
		.should()
		.onlyDependOnClassesThat(
				resideInAnyPackage(JDK).or(resideInAnyPackage("io.lockstarter", TEXT, "io.lockstarter.annotation.."))
					.or(type(AliasFor.class))
					.or(type(Qualifier.class)));

	@ArchTest
	static final ArchRule theInterfaceOfTheStoreKnowsOnlyTheApi = classes().that()
		.resideInAPackage(STORE)
		.should()
		.onlyDependOnClassesThat(resideInAnyPackage(JDK).or(resideInAnyPackage("io.lockstarter", TEXT, STORE)));

	@ArchTest
	static final ArchRule theStoreInMemoryKnowsOnlyTheInterface = classes().that()
		.resideInAPackage("io.lockstarter.memory..")
		.should()
		.onlyDependOnClassesThat(resideInAnyPackage(JDK)
			.or(resideInAnyPackage("io.lockstarter", TEXT, STORE, "io.lockstarter.memory..", PLATFORM)));

	@ArchTest
	static final ArchRule theEngineKnowsOnlyTheApiAndTheInterfaceOfTheStore = classes().that()
		.resideInAPackage("io.lockstarter.engine..")
		.should()
		.onlyDependOnClassesThat(resideInAnyPackage(JDK)
			.or(resideInAnyPackage("io.lockstarter", TEXT, STORE, "io.lockstarter.engine..", LOG, PLATFORM))
			.or(resideInAPackage("org.apache.commons.logging")));

	/**
	 * Those who watch read the engine, and are told by it through interfaces of the JDK.
	 * They are in its package, as it is closed to all others. The registry brings them
	 * together.
	 */
	@ArchTest
	static final ArchRule theEngineDoesNotKnowWhoWatchesIt = noClasses().that()
		.resideInAPackage("io.lockstarter.engine..")
		.and(not(WATCHING.or(name("io.lockstarter.engine.DefaultLockRegistry"))
			.or(name("io.lockstarter.engine.DefaultLockRegistry$Running"))))
		.should()
		.dependOnClassesThat(WATCHING);

	@ArchTest
	static final ArchRule theRedisStoreKnowsOnlyTheInterface = noClasses().that()
		.resideInAPackage("io.lockstarter.redis..")
		.should()
		.dependOnClassesThat(resideInAPackage("io.lockstarter..")
			.and(not(resideInAnyPackage("io.lockstarter", TEXT, STORE, "io.lockstarter.redis..", LOG, PLATFORM))));

	@ArchTest
	static final ArchRule connectionsKnowNothingOfLocks = noClasses().that()
		.resideInAPackage(CONNECTION)
		.should()
		.dependOnClassesThat(
				resideInAPackage("io.lockstarter..").and(not(resideInAnyPackage(CONNECTION, PLATFORM, TEXT))));

	@ArchTest
	static final ArchRule onlyTheRedisStoreKnowsItsConnections = noClasses().that()
		.resideOutsideOfPackages("io.lockstarter.redis", CONNECTION)
		// A server of a quorum says where it is.
		.and(not(name("io.lockstarter.quorum.redis.VotingRedis")))
		.should()
		.dependOnClassesThat()
		.resideInAPackage(CONNECTION);

	/**
	 * What is connected, lost, and made again is not the concern of who sends commands.
	 */
	@ArchTest
	static final ArchRule onlyConnectionsKnowThoseOfLettuce = noClasses().that()
		.resideInAPackage("io.lockstarter.redis")
		.should()
		.dependOnClassesThat(assignableTo("io.lettuce.core.api.StatefulConnection")
			.or(assignableTo("io.lettuce.core.protocol.RedisCommand")));

	@ArchTest
	static final ArchRule theQuorumKnowsOnlyTheInterfaceAndNoServer = classes().that()
		.resideInAPackage("io.lockstarter.quorum")
		.should()
		.onlyDependOnClassesThat(resideInAnyPackage(JDK)
			.or(resideInAnyPackage("io.lockstarter", TEXT, STORE, "io.lockstarter.quorum", PLATFORM)))
		// This and the others in jars of their own are not there in every build.
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule nobodyKnowsTheQuorumOrTheMigration = noClasses().that()
		.resideOutsideOfPackages("io.lockstarter.quorum..", "io.lockstarter.migration..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.lockstarter.quorum..", "io.lockstarter.migration..");

	@ArchTest
	static final ArchRule leadershipKnowsOfUsOnlyTheApi = noClasses().that()
		.resideInAPackage(LEADER)
		.should()
		.dependOnClassesThat(resideInAPackage("io.lockstarter..")
			.and(not(resideInAnyPackage("io.lockstarter", TEXT, LEADER, LOG, PLATFORM))));

	@ArchTest
	static final ArchRule metricsKnowOfUsOnlyTheApiLeadersAndTheEngine = noClasses().that()
		.resideInAPackage("io.lockstarter.observe..")
		.should()
		.dependOnClassesThat(resideInAPackage("io.lockstarter..").and(not(resideInAnyPackage("io.lockstarter", TEXT,
				"io.lockstarter.engine..", "io.lockstarter.interceptor..", LEADER, "io.lockstarter.observe.."))));

	@ArchTest
	static final ArchRule theInterceptorKnowsOfUsOnlyApiAnnotationAndLeaders = noClasses().that()
		.resideInAPackage("io.lockstarter.interceptor..")
		.should()
		.dependOnClassesThat(resideInAPackage("io.lockstarter..").and(not(resideInAnyPackage("io.lockstarter", TEXT,
				"io.lockstarter.annotation..", "io.lockstarter.interceptor..", LEADER, LOG))));

	@ArchTest
	static final ArchRule keysKnowNothingOfLocks = noClasses().that()
		.resideInAPackage("io.lockstarter.interceptor.key..")
		.should()
		.dependOnClassesThat(resideInAPackage("io.lockstarter..")
			.and(not(resideInAnyPackage("io.lockstarter.interceptor.key..", "io.lockstarter.annotation..",
					"io.lockstarter.text..")))
			.and(not(type(LockSetupException.class))));

	@ArchTest
	static final ArchRule thePartsOfTheInterceptorDoNotKnowIt = noClasses().that()
		.resideInAnyPackage("io.lockstarter.interceptor.*..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.lockstarter.interceptor");

	@ArchTest
	static final ArchRule whatIsPublicInTheInterceptorForItsOwnPackagesIsUsedByNobodyElse = noClasses().that()
		.resideOutsideOfPackages("io.lockstarter.interceptor..", "io.lockstarter.aot..")
		.should()
		.dependOnClassesThat(resideInAPackage("io.lockstarter.interceptor..")
			.and(not(type(DistributedLockAdvisor.class).or(type(LockValidation.class))
				.or(type(LockedBeans.class))
				.or(type(LockServices.class))
				.or(type(SectionObserver.class))
				.or(type(SectionObserver.Section.class))
				.or(type(TransactionFence.class))
				.or(type(LockCommitCheck.class)))));

	@ArchTest
	static final ArchRule theHintsForNativeImagesKnowOfUsOnlyAnnotationAndInterceptor = noClasses().that()
		.resideInAPackage("io.lockstarter.aot..")
		.should()
		.dependOnClassesThat(resideInAPackage("io.lockstarter..").and(not(resideInAnyPackage("io.lockstarter", TEXT,
				"io.lockstarter.annotation..", "io.lockstarter.interceptor..", "io.lockstarter.aot.."))));

	@ArchTest
	static final ArchRule nobodyKnowsTheHintsForNativeImages = noClasses().that()
		.resideOutsideOfPackage("io.lockstarter.aot..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.lockstarter.aot..");

	@ArchTest
	static final ArchRule theActuatorKnowsOfUsOnlyTheApi = noClasses().that()
		.resideInAPackage("io.lockstarter.actuate..")
		.should()
		.dependOnClassesThat(resideInAPackage("io.lockstarter..")
			.and(not(resideInAnyPackage("io.lockstarter", TEXT, "io.lockstarter.actuate.."))));

	@ArchTest
	static final ArchRule onlyTheAutoConfigurationKnowsTheActuator = noClasses().that()
		.resideOutsideOfPackages("io.lockstarter.actuate..", "io.lockstarter.autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.lockstarter.actuate..");

	@ArchTest
	static final ArchRule theFenceKnowsOfUsOnlyTheApi = noClasses().that()
		.resideInAPackage("io.lockstarter.fence..")
		.should()
		.dependOnClassesThat(resideInAPackage("io.lockstarter..")
			.and(not(resideInAnyPackage("io.lockstarter", TEXT, "io.lockstarter.fence.."))));

	@ArchTest
	static final ArchRule onlyTheAutoConfigurationKnowsTheFence = noClasses().that()
		.resideOutsideOfPackages("io.lockstarter.fence..", "io.lockstarter.autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.lockstarter.fence..");

	@ArchTest
	static final ArchRule onlyTheFenceAndItsConfigurationKnowSpringJdbc = noClasses().that()
		.resideOutsideOfPackage("io.lockstarter.fence..")
		.and(not(name("io.lockstarter.autoconfigure.LockFenceAutoConfiguration")))
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.jdbc..", "javax.sql..");

	@ArchTest
	static final ArchRule bridgesKnowOfUsOnlyTheApi = noClasses().that()
		.resideInAPackage("io.lockstarter.integration..")
		.should()
		.dependOnClassesThat(resideInAPackage("io.lockstarter..")
			.and(not(resideInAnyPackage("io.lockstarter", TEXT, "io.lockstarter.integration.."))));

	@ArchTest
	static final ArchRule nobodyKnowsTheBridges = noClasses().that()
		.resideOutsideOfPackage("io.lockstarter.integration..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.lockstarter.integration..");

	@ArchTest
	static final ArchRule onlyTheirBridgesKnowSpringIntegrationAndShedLock = noClasses().that()
		.resideOutsideOfPackage("io.lockstarter.integration..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.integration..", "net.javacrumbs.shedlock..");

	@ArchTest
	static final ArchRule onlyAutoConfigurationsOfOtherJarsKnowTheAutoConfiguration = noClasses().that()
		.resideOutsideOfPackages("io.lockstarter.autoconfigure..", "io.lockstarter.quorum.autoconfigure..",
				"io.lockstarter.migration..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.lockstarter.autoconfigure..");

	@ArchTest
	static final ArchRule theTestSupportKnowsOfUsOnlyTheApiAndTheEngine = noClasses().that()
		.resideInAPackage("io.lockstarter.test..")
		.should()
		.dependOnClassesThat(resideInAPackage("io.lockstarter..")
			.and(not(resideInAnyPackage("io.lockstarter", TEXT, "io.lockstarter.annotation..", STORE,
					"io.lockstarter.engine..", "io.lockstarter.memory..", "io.lockstarter.test.."))))
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule theFunctionsForKotlinKnowOfUsOnlyTheApi = noClasses().that()
		.resideInAPackage("io.lockstarter.kotlin..")
		.should()
		.dependOnClassesThat(resideInAPackage("io.lockstarter..")
			.and(not(resideInAnyPackage("io.lockstarter", TEXT, "io.lockstarter.kotlin.."))));

	@ArchTest
	static final ArchRule nobodyKnowsTheFunctionsForKotlin = noClasses().that()
		.resideOutsideOfPackage("io.lockstarter.kotlin..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.lockstarter.kotlin..");

	@ArchTest
	static final ArchRule whatIsMadeWithoutSpringBootKnowsTheEngineAndRedis = noClasses().that()
		.resideInAPackage("io.lockstarter.standalone..")
		.should()
		.dependOnClassesThat(resideInAPackage("io.lockstarter..").and(not(resideInAnyPackage("io.lockstarter", TEXT,
				STORE, "io.lockstarter.engine", "io.lockstarter.redis", "io.lockstarter.standalone.."))))
		.orShould()
		.dependOnClassesThat()
		.resideInAPackage("org.springframework.boot..");

	@ArchTest
	static final ArchRule nobodyKnowsWhatIsMadeWithoutSpringBoot = noClasses().that()
		.resideOutsideOfPackage("io.lockstarter.standalone..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.lockstarter.standalone..");

	@ArchTest
	static final ArchRule packagesHaveNoCycles = slices().matching("io.lockstarter.(**)").should().beFreeOfCycles();

	/**
	 * Classes that know each other, directly or by others, can only be read together. The
	 * largest circle is four: an expression for keys, its parser, and what they make.
	 */
	@ArchTest
	static void noMoreThanFourClassesFormACircle(JavaClasses classes) {
		assertThat(new Circles(classes).largerThan(4)).isEmpty();
	}

	@ArchTest
	static final ArchRule theAnnotationIsNotSeenByTheEngine = noClasses().that()
		.resideInAnyPackage("io.lockstarter.engine..", "io.lockstarter.redis..")
		.should()
		.dependOnClassesThat()
		.areAssignableTo(DistributedLock.class);

	/**
	 * The diagram shows the arrows of all jars, and this test may see those of one.
	 */
	@ArchTest
	static void theDiagramShowsWhoUsesWhom(JavaClasses classes) throws IOException {
		Set<String> drawn = PackageArrows.drawnIn(Files.readString(Path.of("..", "CONTRIBUTING.md")));
		drawn.removeIf((arrow) -> !classes.containPackage(PackageArrows.from(arrow)));
		assertThat(PackageArrows.of(classes)).isEqualTo(drawn);
	}

	/**
	 * Other modules have the tests of this one as a jar.
	 */
	static final class NoJarsOfTests implements ImportOption {

		@Override
		public boolean includes(Location location) {
			return !location.contains("-tests.jar");
		}

	}

}
