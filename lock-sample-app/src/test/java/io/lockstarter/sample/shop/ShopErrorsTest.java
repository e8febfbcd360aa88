// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.time.Duration;
import java.util.List;

import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;

import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

/**
 * Tests for {@link ShopErrors}.
 */
class ShopErrorsTest {

	private final FencedShop shop = mock(FencedShop.class);

	private final MockMvc mvc = MockMvcBuilders
		.standaloneSetup(new ShopController(this.shop, mock(SaleService.class), mock(PurchaseLimit.class)))
		.setControllerAdvice(new ShopErrors())
		.build();

	static Object[][] failures() {
		return new Object[][] { { new LockNotAcquiredException("stock:1", Duration.ofSeconds(5), List.of()), 503, "1" },
				{ new LockStoreException("No answer", true, null), 503, "5" },
				{ new RedisConnectionFailureException("Refused"), 503, "5" },
				{ new RedisSystemException("Not connected", null), 503, "5" },
				{ new QueryTimeoutException("No answer"), 503, "5" },
				{ new TooManyPurchasesException(20, Duration.ofMillis(1001)), 429, "2" },
				{ new LockLostException("stock:1", 2, LossCause.EXPIRED), 409, null },
				{ new SoldOutException(1), 409, null } };
	}

	@ParameterizedTest
	@MethodSource("failures")
	void aFailureIsAnsweredAsAProblem(RuntimeException failure, int status, String retryAfter) throws Exception {
		given(this.shop.buy(1, Duration.ZERO)).willThrow(failure);
		this.mvc.perform(post("/products/1/orders"))
			.andExpect(status().is(status))
			.andExpect(content().contentType(MediaType.APPLICATION_PROBLEM_JSON))
			.andExpect(jsonPath("$.status").value(status))
			.andExpect((retryAfter != null) ? header().string("Retry-After", retryAfter)
					: header().doesNotExist("Retry-After"));
	}

}
