// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.util.List;

import io.lockstarter.sample.instance.Instance;
import io.lockstarter.sample.shop.Protection;
import io.lockstarter.sample.shop.Sale;
import io.lockstarter.sample.shop.SaleService;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * What the stage does while Redis cannot be reached, and afterwards.
 */
class WithoutRedisTest {

	private static final Sale SALE = new Sale(Stage.PRODUCT, 100, 93, 7, 0);

	private final StringRedisTemplate redis = mock(StringRedisTemplate.class);

	private final RedisLink link = new RedisLink(this.redis);

	private final EventStream pages = mock(EventStream.class);

	private final JsonMapper json = new JsonMapper();

	private final Stage stage = new Stage(this.link, this.pages, this.json);

	@BeforeEach
	void redisIsAway() {
		RedisConnectionFailureException failure = new RedisConnectionFailureException("refused");
		willThrow(failure).given(this.redis).convertAndSend(anyString(), any());
		willThrow(failure).given(this.redis).getExpire(anyString(), any());
	}

	@Test
	void thePageStillGetsTheBooks() {
		SaleService sales = mock(SaleService.class);
		given(this.pages.isWatched()).willReturn(true);
		given(sales.sale(Stage.PRODUCT)).willReturn(SALE);
		SaleWatch watch = new SaleWatch(this.pages, sales, this.link, this.json, "prefix");
		watch.look();
		assertThat(shown("sale", SaleWatch.State.class)).satisfies((state) -> {
			assertThat(state.sale()).isEqualTo(SALE);
			assertThat(state.redis()).isFalse();
			assertThat(state.lockExpiresIn()).isNull();
		});
		willReturn(1234L).given(this.redis).getExpire(anyString(), any());
		watch.look();
		assertThat(shown("sale", SaleWatch.State.class)).satisfies((state) -> {
			assertThat(state.redis()).isTrue();
			assertThat(state.lockExpiresIn()).isEqualTo(1234);
		});
	}

	@Test
	void whoHasLeftMeanwhileIsReportedOnceAfterwards() {
		Instance instance = mock(Instance.class);
		given(instance.port()).willReturn(8080);
		given(instance.name()).willReturn("A");
		Visits visits = new Visits();
		InstanceReporter reporter = new InstanceReporter(instance, visits, this.stage);
		visits.end(visits.begin(Protection.LOCK));
		reporter.reportInTurn();
		visits.end(visits.begin(Protection.FENCE));
		willReturn(1L).given(this.redis).convertAndSend(anyString(), any());
		reporter.reportInTurn();
		assertThat(published().finished()).extracting(Visit.Snapshot::protection)
			.containsExactly(Protection.LOCK, Protection.FENCE);
		reporter.report();
		assertThat(published().finished()).isEmpty();
	}

	@Test
	void ofThoseWhoHaveLeftSomeThousandAreRemembered() {
		Visits visits = new Visits();
		for (int i = 0; i < 6000; i++) {
			visits.end(visits.begin(Protection.NONE));
		}
		assertThat(visits.finished()).hasSize(5000);
	}

	@Test
	void whatIsShownToAllPagesIsShownToOwnOnes() {
		this.stage.show("crowd", List.of(1, 2));
		then(this.pages).should().send("crowd", "[1,2]");
		willReturn(1L).given(this.redis).convertAndSend(anyString(), any());
		this.stage.show("crowd", List.of(3));
		then(this.pages).should(never()).send("crowd", "[3]");
	}

	private <T> T shown(String kind, Class<T> type) {
		ArgumentCaptor<String> text = ArgumentCaptor.forClass(String.class);
		then(this.pages).should(atLeastOnce()).send(eq(kind), text.capture());
		return this.json.readValue(text.getValue(), type);
	}

	private InstanceReport published() {
		ArgumentCaptor<String> text = ArgumentCaptor.forClass(String.class);
		then(this.redis).should(atLeastOnce()).convertAndSend(eq(Stage.CHANNEL_PREFIX + "instance"), text.capture());
		return this.json.readValue(text.getValue(), InstanceReport.class);
	}

}
