package io.ringmaster.service.security;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.ProblemWriter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.StrictHttpFirewall;

/** Who may do what: everybody on this machine, or those with a token and by their role. */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {

  private static final String[] EVERYBODY = {
    "/actuator/health/**", "/openapi.yaml", "/docs", "/docs/**"
  };
  private static final String WORKERS = "/api/v1/workers/**";
  private static final String DEVICES = "/api/v1/devices/**";
  private static final String MAINTENANCE = "/api/v1/maintenance";
  private static final long RETRY_SECONDS = 5;

  /**
   * Who is let in.
   *
   * @throws IllegalStateException when the service would be open to other machines without a login
   */
  @Bean
  Logins logins(RingmasterProperties properties, @Value("${server.address}") InetAddress address) {
    var security = properties.security();
    var tokens =
        Optional.ofNullable(security.tokensFile()).map(Tokens::read).orElseGet(Tokens::none);
    var logins = new Logins(tokens, JwtLogin.of(security.oidc()));
    if (logins.areNone() && !address.isLoopbackAddress()) {
      throw new IllegalStateException(
          "server.address "
              + address.getHostAddress()
              + " would let in everybody who reaches this machine: name a file of tokens with"
              + " ringmaster.security.tokens-file or an issuer with"
              + " ringmaster.security.oidc.issuer, or stay on 127.0.0.1.");
    }
    return logins;
  }

  /** None of it is in the catalogue of metrics, and each filter of each request would be timed. */
  @Bean
  SecurityObservationSettings securityObservations() {
    return SecurityObservationSettings.noObservations();
  }

  /** Refuses what could deceive the rules below; what is merely odd gets a better answer later. */
  @Bean
  HttpFirewall firewall() {
    var firewall = new StrictHttpFirewall();
    firewall.setAllowSemicolon(true);
    firewall.setUnsafeAllowAnyHttpMethod(true);
    // The guard of the contract names the header or the parameter; here one would break off late,
    // wherever it happens to be read first.
    firewall.setAllowedHeaderNames(_ -> true);
    firewall.setAllowedHeaderValues(_ -> true);
    firewall.setAllowedParameterNames(_ -> true);
    firewall.setAllowedParameterValues(_ -> true);
    return firewall;
  }

  @Bean
  SecurityFilterChain chain(HttpSecurity http, Logins logins, ProblemWriter problems) {
    http.csrf(AbstractHttpConfigurer::disable) // there are no cookies that a page could use
        .formLogin(AbstractHttpConfigurer::disable)
        .httpBasic(AbstractHttpConfigurer::disable)
        .logout(AbstractHttpConfigurer::disable)
        .requestCache(AbstractHttpConfigurer::disable)
        .sessionManagement(some -> some.sessionCreationPolicy(SessionCreationPolicy.STATELESS));
    if (logins.areNone()) {
      return http.addFilterBefore(new LoopbackFilter(problems), AuthorizationFilter.class)
          .authorizeHttpRequests(all -> all.anyRequest().permitAll())
          .build();
    }
    http.addFilterBefore(new TokenFilter(logins), AuthorizationFilter.class)
        .authorizeHttpRequests(
            all ->
                all.dispatcherTypeMatchers(DispatcherType.ERROR, DispatcherType.ASYNC)
                    .permitAll()
                    .requestMatchers(EVERYBODY)
                    .permitAll()
                    .requestMatchers(HttpMethod.PATCH, WORKERS)
                    .hasRole(Role.OPERATOR.name())
                    .requestMatchers(HttpMethod.PATCH, DEVICES)
                    .hasRole(Role.OPERATOR.name())
                    .requestMatchers(HttpMethod.PUT, MAINTENANCE)
                    .hasRole(Role.OPERATOR.name())
                    .requestMatchers(HttpMethod.GET, WORKERS)
                    .hasAnyRole(names(Role.VIEWER, Role.SUBMITTER, Role.OPERATOR))
                    .requestMatchers(WORKERS)
                    .hasAnyRole(names(Role.WORKER, Role.OPERATOR))
                    .requestMatchers(HttpMethod.GET)
                    .hasAnyRole(names(Role.VIEWER, Role.SUBMITTER, Role.OPERATOR))
                    .anyRequest()
                    .hasAnyRole(names(Role.SUBMITTER, Role.OPERATOR)))
        .exceptionHandling(
            refusals ->
                refusals
                    .authenticationEntryPoint(
                        (request, response, _) -> refuse(request, response, problems))
                    .accessDeniedHandler(
                        (request, response, _) -> problems.write(forbidden(), request, response)));
    return http.build();
  }

  private static String[] names(Role... roles) {
    return Arrays.stream(roles).map(Role::name).toArray(String[]::new);
  }

  /** RFC 6750, section 3, has what the header says. */
  private static void refuse(
      HttpServletRequest request, HttpServletResponse response, ProblemWriter problems)
      throws IOException {
    var login = (Login) request.getAttribute(TokenFilter.REFUSED);
    if (login instanceof Login.Unknowable(String reason)) {
      problems.write(
          new ProblemException(ProblemCode.UNAVAILABLE, reason + " Try again in some seconds.")
              .withRetryAfter(RETRY_SECONDS),
          request,
          response);
      return;
    }
    var reason =
        login instanceof Login.Refused(String some)
            ? some
            : TokenFilter.otherScheme(request).orElse("This service needs a token.");
    response.setHeader(
        HttpHeaders.WWW_AUTHENTICATE, login == null ? "Bearer" : "Bearer error=\"invalid_token\"");
    problems.write(
        new ProblemException(
            ProblemCode.UNAUTHENTICATED, reason + " Send the header Authorization: Bearer TOKEN."),
        request,
        response);
  }

  private static ProblemException forbidden() {
    boolean hasNone =
        SecurityContextHolder.getContext().getAuthentication() instanceof TokenAuthentication who
            && who.hasNoRole();
    return new ProblemException(
        ProblemCode.FORBIDDEN,
        hasNone
            ? "This token is good, but gives no role here: its claim of roles has none of those"
                + " that ringmaster.security.oidc.roles names. Ask the operator."
            : "The role of this token does not allow this. Ask the operator.");
  }
}
