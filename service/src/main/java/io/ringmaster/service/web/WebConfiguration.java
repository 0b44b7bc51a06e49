package io.ringmaster.service.web;

import java.util.Arrays;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.convert.converter.Converter;
import org.springframework.core.convert.converter.ConverterFactory;
import org.springframework.format.FormatterRegistry;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Puts the guard before every endpoint, and reads parameters as the guard lets them through. */
@Configuration(proxyBeanMethods = false)
class WebConfiguration implements WebMvcConfigurer {

  private final ContractGuard guard;

  WebConfiguration(ContractGuard guard) {
    this.guard = guard;
  }

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(guard);
  }

  @Override
  public void addFormatters(FormatterRegistry registry) {
    registry.addConverterFactory(new AnyCase());
  }

  /** Values of enumerations, in upper or lower case. */
  @SuppressWarnings("rawtypes") // the interface can only be had for the raw Enum
  private static final class AnyCase implements ConverterFactory<String, Enum> {
    @Override
    public <T extends Enum> Converter<String, T> getConverter(Class<T> type) {
      return text ->
          Arrays.stream(type.getEnumConstants())
              .filter(constant -> constant.name().equalsIgnoreCase(text))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          text + " is none of " + Arrays.toString(type.getEnumConstants())));
    }
  }
}
