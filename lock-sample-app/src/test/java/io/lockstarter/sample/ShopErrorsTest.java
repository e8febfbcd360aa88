package io.lockstarter.sample;

import java.time.Duration;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockStoreException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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

	private final ShopService shop = mock(ShopService.class);

	private final MockMvc mvc = MockMvcBuilders.standaloneSetup(new ShopController(this.shop))
		.setControllerAdvice(new ShopErrors())
		.build();

	static Object[][] failures() {
		return new Object[][] { { new LockNotAcquiredException("stock:1", Duration.ofSeconds(5), null), 503, "1" },
				{ new LockStoreException("No answer", true, null), 503, "5" }, { new SoldOutException(1), 409, null } };
	}

	@ParameterizedTest
	@MethodSource("failures")
	void aFailureIsAnsweredAsAProblem(RuntimeException failure, int status, String retryAfter) throws Exception {
		given(this.shop.buy(1)).willThrow(failure);
		this.mvc.perform(post("/products/1/buy"))
			.andExpect(status().is(status))
			.andExpect(content().contentType(MediaType.APPLICATION_PROBLEM_JSON))
			.andExpect(jsonPath("$.status").value(status))
			.andExpect((retryAfter != null) ? header().string("Retry-After", retryAfter)
					: header().doesNotExist("Retry-After"));
	}

}
