// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import io.lettuce.core.RedisCommandExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replies are as servers give them: Redis 6.2 and 7.0, Valkey 8.0.
 */
class ErrorReplyTest {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					NOPERM this user has no permissions to run the 'evalsha' command | NOT_PERMITTED
					NOPERM this user has no permissions to access one of the keys used as arguments | NOT_PERMITTED
					PKIX path building failed | UNTRUSTED
					(certificate_unknown) PKIX path building failed | UNTRUSTED
					(certificate_unknown) No subject alternative names matching IP address 127.0.0.1 found | UNTRUSTED
					ERR The user executing the script can't run this command or subcommand script: 9a11, on @user_script:3. | NOT_PERMITTED
					ERR The user executing the script can't access at least one of the keys mentioned in the command arguments script: 9a11, on @user_script:3. | NOT_PERMITTED
					@user_script: 3: The user executing the script can't run this command or subcommand | NOT_PERMITTED
					ERR ACL failure in script: User blind has no permissions to run the 'get' command script: ed97, on @user_script:9. | NOT_PERMITTED
					ERR ACL failure in script: No permissions to access a key | NOT_PERMITTED
					WRONGPASS invalid username-password pair or user is disabled. | NOT_LOGGED_IN
					READONLY You can't write against a read only replica. script: 9a11, on @user_script:3. | DEMOTED
					MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'. | DEMOTED
					OOM command not allowed when used memory > 'maxmemory'. | NO_MEMORY
					WRONGTYPE Operation against a key holding the wrong kind of value script: 9a11, on @user_script:3. | WRONG_TYPE
					ERR DB index is out of range | NO_DATABASE
					ERR SELECT is not allowed in cluster mode | NO_DATABASE
					ERR This instance has cluster support disabled | WRONG_MODE
					ERR max number of clients reached | TOO_MANY_CLIENTS
					ERR unknown command 'EVAL', with args beginning with: 'return 1' | UNKNOWN_COMMAND
					ERR value is not an integer or out of range | OTHER
					""")
	void kindIsKnownByTheBeginning(String reply, ErrorReply kind) {
		assertThat(ErrorReply.of(reply)).isEqualTo(kind);
	}

	@Test
	void kindIsFoundInAFailure() {
		assertThat(ErrorReply.of(new IllegalStateException("Cannot open the connection: NOPERM no")))
			.isEqualTo(ErrorReply.NOT_PERMITTED);
		assertThat(ErrorReply.of(new RedisCommandExecutionException("ERR ACL failure in script: No permissions")))
			.isEqualTo(ErrorReply.NOT_PERMITTED);
	}

}
